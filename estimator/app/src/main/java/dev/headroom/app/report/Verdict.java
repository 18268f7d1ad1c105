package dev.headroom.app.report;

import dev.headroom.app.words.Door;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.Phase;
import dev.headroom.model.units.Decimals;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.List;

/** The answer in words. */
final class Verdict {
    private static final double SURE = 0.01;

    private Verdict() {}

    /** The verdict, and below it where memory ran out. */
    static List<String> lines(Prediction p, Style style, int width) {
        return lines(p, Door.here(), style, width);
    }

    /** The same for users of a door. */
    static List<String> lines(Prediction p, Door door, Style style, int width) {
        Prediction.Verdict verdict = p.verdict();
        List<String> lines = new ArrayList<>();
        boolean fails = p.oom() != null || Boolean.FALSE.equals(verdict.fits());
        if (fails) {
            Wrap.lines("Does not fit" + on(p) + shortfall(p), width, "  ").forEach(line -> lines.add(style.bad(line)));
            if (p.oom() != null) {
                Wrap.lines(door, place(p.oom()) + needs(verdict) + remedy(p), width - 2, "")
                        .forEach(line -> lines.add("  " + line));
            } else if (verdict.minimumMemory() != null) {
                lines.add("  " + needs(verdict).substring(2));
            }
        } else if (Boolean.TRUE.equals(verdict.fits())) {
            Wrap.lines("Fits" + on(p) + free(p), width, "  ").forEach(line -> lines.add(style.good(line)));
        } else {
            String least = verdict.minimumMemory() == null ? p.model() : "Needs " + Mib.text(verdict.minimumMemory());
            lines.add(style.strong(least) + " (" + door.tell("`gpu=NAME` or `memory=SIZE`") + " asks whether it fits)");
        }
        return lines;
    }

    private static String on(Prediction p) {
        Prediction.Device device = p.device();
        if (device == null) {
            return "";
        }
        String name =
                device.gpu() == null ? Mib.text(device.memory()) : device.gpu().title();
        return " on " + name + (device.limit() == null ? "" : " within " + Mib.text(device.limit()));
    }

    private static String free(Prediction p) {
        Prediction.Verdict verdict = p.verdict();
        if (verdict.headroom() == null) {
            return "";
        }
        // Beside a limit it is the limit's rest, not the card's.
        Prediction.Device device = p.device();
        String of = device != null && device.limit() == null ? " of " + Mib.text(device.memory()) : "";
        return ": " + Mib.text(verdict.headroom()) + " free" + of + risk(verdict);
    }

    private static String shortfall(Prediction p) {
        Long headroom = p.verdict().headroom();
        boolean inPieces = headroom == null && p.verdict().minimumMemory() != null;
        String why = inPieces ? ": free memory lies in pieces" : "";
        String missing = headroom == null || headroom >= 0 ? why : ": " + Mib.text(-headroom) + " missing";
        return missing + risk(p.verdict());
    }

    /** The probability of running out of memory; nothing is surer than what it was calibrated with. */
    static String risk(Prediction.Verdict verdict) {
        Double p = verdict.probabilityOom();
        if (p == null) {
            return "";
        }
        String text = p < SURE ? "under 1 %" : p > 1 - SURE ? "over 99 %" : Decimals.fixed(100 * p, 0) + " %";
        return ", " + text + " risk";
    }

    private static String place(OutOfMemory oom) {
        String module = oom.module() == null || oom.module().isEmpty() ? "" : ", " + oom.module();
        String operator = oom.operator() == null || oom.operator().isEmpty() ? "" : " (" + oom.operator() + ")";
        String where = oom.device() == null ? "" : " on device " + oom.device();
        return "out of memory" + where + " in " + oom.moment().words() + module + operator + ", asking for "
                + Mib.text(oom.requested());
    }

    /** A model that is divided need not be whole on any device before. */
    private static String remedy(Prediction p) {
        boolean building = p.oom() != null && p.oom().moment().phase() == Phase.MODEL;
        Parallelism parallel = p.run().parallel();
        boolean elsewhere = parallel.build() == Parallelism.Build.CUDA
                && !parallel.kind().isOneProcess()
                && parallel.kind() != ParallelKind.SINGLE
                && parallel.kind() != ParallelKind.DDP;
        String where = parallel.kind() == ParallelKind.ZERO3
                ? "zero-init"
                : parallel.kind().isDeepSpeed() ? "cpu" : "meta";
        return building && elsewhere
                ? ". Each rank makes the whole model on its device before it is divided; `build=" + where
                        + "` makes it elsewhere"
                : "";
    }

    private static String needs(Prediction.Verdict verdict) {
        if (verdict.minimumMemory() == null) {
            return "";
        }
        return (verdict.headroom() == null ? "; gets through in " : "; needs ") + Mib.text(verdict.minimumMemory())
                + " of memory";
    }
}
