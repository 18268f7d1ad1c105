package dev.headroom.app.measure;

import dev.headroom.app.report.Columns;
import dev.headroom.app.report.ScenarioText;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Predicted beside measured, for people: phases, modules at the peak, workspaces, losses. */
final class MeasureReport {
    private static final int NAME = 19;
    private static final int NUMBER = 9;
    private static final int BYTES = 11;
    private static final int MODULE = 48;
    private static final int MOST_MODULES = 8;
    /** Of more steps, the first two and the last are shown. */
    private static final int MOST_STEPS = 4;

    private static final int MOST_LOSSES = 4;

    private final Comparison comparison;
    private final PrintWriter out;

    private MeasureReport(Comparison comparison, PrintWriter out) {
        this.comparison = comparison;
        this.out = out;
    }

    /** @param about the backend in a few words */
    static void write(Comparison comparison, String about, PrintWriter out) {
        new MeasureReport(comparison, out).write(about);
    }

    private void write(String about) {
        out.println(verdict());
        out.println(comparison.predicted().model() + ": "
                + ScenarioText.words(comparison.predicted().run()));
        out.println(about);
        out.println();
        phases();
        out.println();
        modules();
        workspaces();
        losses();
        device();
        comparison
                .predicted()
                .unmodelled()
                .forEach(u -> out.println("without a rule in the prediction: " + u.operator() + " x" + u.count()));
    }

    private String verdict() {
        OutOfMemory oom = comparison.measured().oom();
        String end = oom == null
                ? ""
                : Character.toUpperCase(oom.text().charAt(0)) + oom.text().substring(1) + ". ";
        if (comparison.equal()) {
            return end + "Measured as predicted, to the byte: "
                    + comparison.phases().size() + " phases";
        }
        List<Comparison.Phase> different = comparison.different();
        String phases = different.isEmpty()
                ? "no phase"
                : different.size() + " of " + comparison.phases().size() + " phases, first "
                        + different.get(0).title();
        String predicted = comparison.sameEnd()
                ? ""
                : comparison.predicted().oom() == null
                        ? "; the prediction gets through"
                        : "; the prediction runs out of memory in "
                                + comparison.predicted().oom().phase();
        return end + "Measured otherwise than predicted: " + phases + predicted;
    }

    private void phases() {
        out.println(Columns.left("", NAME)
                + Columns.right("allocated", 2 * NUMBER)
                + Columns.right("reserved", BYTES + 2 * NUMBER + 1));
        out.println(Columns.left("MiB", NAME)
                + Columns.right("predicted", NUMBER)
                + Columns.right("measured", NUMBER)
                + Columns.right("bytes", BYTES)
                + Columns.right("predicted", NUMBER + 1)
                + Columns.right("measured", NUMBER)
                + Columns.right("bytes", BYTES));
        int steps = comparison.phases().stream()
                .mapToInt(p -> p.moment().step() == null ? 0 : p.moment().step() + 1)
                .max()
                .orElse(0);
        boolean skipping = false;
        for (Comparison.Phase p : comparison.phases()) {
            Integer step = p.moment().step();
            boolean middle = step != null && steps > MOST_STEPS && step > 1 && step < steps - 1;
            if (!middle) {
                phase(p);
            } else if (!skipping) {
                out.println("...");
            }
            skipping = middle;
        }
        row(
                "peak",
                comparison.predicted().peak().allocated(),
                comparison.measured().peak().allocated(),
                comparison.predicted().peak().reserved(),
                comparison.measured().peak().reserved());
    }

    private void phase(Comparison.Phase p) {
        Moment at = p.moment();
        String part = at.micro() == null ? "" : "." + at.micro();
        String name = (at.step() == null ? "load " : "step " + at.step() + part + " ") + at.phase();
        PhaseMemory a = p.predicted();
        PhaseMemory b = p.measured();
        row(
                name,
                a == null ? null : a.allocated(),
                b == null ? null : b.allocated(),
                a == null ? null : a.reserved(),
                b == null ? null : b.reserved());
    }

    private void row(
            String name,
            @Nullable Long allocated,
            @Nullable Long thatAllocated,
            @Nullable Long reserved,
            @Nullable Long thatReserved) {
        out.println(Columns.left(name, NAME)
                + Columns.right(mib(allocated), NUMBER)
                + Columns.right(mib(thatAllocated), NUMBER)
                + Columns.right(difference(allocated, thatAllocated), BYTES)
                + Columns.right(mib(reserved), NUMBER + 1)
                + Columns.right(mib(thatReserved), NUMBER)
                + Columns.right(difference(reserved, thatReserved), BYTES));
    }

    private static String mib(@Nullable Long bytes) {
        return bytes == null ? "-" : Mib.number(bytes);
    }

    private static String difference(@Nullable Long predicted, @Nullable Long measured) {
        if (predicted == null || measured == null) {
            return "";
        }
        long d = measured - predicted;
        return d == 0 ? "=" : String.format(Locale.ROOT, "%+d", d);
    }

    private void modules() {
        List<ModuleShares.Share> shares = ModuleShares.of(comparison).stream()
                .sorted(Comparator.comparingLong(ModuleShares.Share::larger).reversed())
                .toList();
        out.println(Columns.left("at the peak, MiB", MODULE)
                + Columns.right("predicted", NUMBER)
                + Columns.right("measured", NUMBER)
                + Columns.right("bytes", BYTES));
        for (ModuleShares.Share s : shares.subList(0, Math.min(MOST_MODULES, shares.size()))) {
            module(s.module(), s.predicted(), s.measured());
        }
        List<ModuleShares.Share> others = shares.subList(Math.min(MOST_MODULES, shares.size()), shares.size());
        if (!others.isEmpty()) {
            module(
                    others.size() + " others",
                    others.stream().mapToLong(ModuleShares.Share::predicted).sum(),
                    others.stream().mapToLong(ModuleShares.Share::measured).sum());
        }
    }

    private void module(String name, long predicted, long measured) {
        out.println(Columns.path(name, MODULE)
                + Columns.right(Mib.number(predicted), NUMBER)
                + Columns.right(Mib.number(measured), NUMBER)
                + Columns.right(difference(predicted, measured), BYTES));
    }

    private void workspaces() {
        for (Measurement.Workspace w : comparison.measured().workspaces()) {
            out.println(w.name() + ": " + Mib.text(w.most()) + " at most, " + Mib.text(w.atPeak()) + " at the peak");
        }
    }

    private void losses() {
        List<Double> losses = comparison.measured().losses();
        if (losses.isEmpty()) {
            return;
        }
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < losses.size(); i++) {
            boolean dropped =
                    losses.size() > MOST_LOSSES && i >= MOST_LOSSES / 2 && i < losses.size() - MOST_LOSSES / 2;
            if (!dropped) {
                shown.add(String.format(Locale.ROOT, "%.4g", losses.get(i)));
            } else if (i == MOST_LOSSES / 2) {
                shown.add("...");
            }
        }
        out.println("loss on random data: " + String.join(" ", shown));
        if (losses.stream().anyMatch(loss -> loss.isNaN() || loss.isInfinite())) {
            out.println("(no number: random weights and data grow beyond their type; memory does not depend on it)");
        }
    }

    private void device() {
        Measurement.Device d = comparison.measured().device();
        if (d == null) {
            return;
        }
        out.println("device free: "
                + reading(d.beforeContext().free()) + " before the context, "
                + reading(d.afterContext().free()) + " with it, "
                + reading(d.started().free()) + " before the run, "
                + reading(d.ended().free()) + " at its end");
        out.println("this process, by NVML: " + reading(d.ended().process()) + "; predicted: "
                + Mib.text(comparison.predicted().peak().device()));
    }

    private static String reading(OptionalLong bytes) {
        return bytes.isPresent() ? Mib.text(bytes.getAsLong()) : "unknown";
    }
}
