package dev.headroom.app.report;

import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** A prediction on one terminal screen: the verdict, the peaks, what they are made of, and how it went. */
public final class Summary {
    private static final int WIDTH = 79;
    private static final int LINES = 23;
    private static final int FEWEST_SHARES = 5;

    private Summary() {}

    /** Writes at most 23 lines of at most 79 characters, unless there is a very long scenario or verdict. */
    public static void write(Prediction p, Style style, PrintWriter out) {
        List<String> head = new ArrayList<>(Verdict.lines(p, style, WIDTH));
        head.addAll(Wrap.lines(p.model() + ": " + ScenarioText.words(p.run()), WIDTH, "  "));
        head.add("");
        head.addAll(peaks(p, style));
        head.addAll(GpuTable.lines(p, style));
        head.addAll(RankTable.lines(p, style));
        List<String> phases = PhaseTable.lines(p, style);
        List<String> remarks = remarks(p, LINES - head.size() - phases.size() - FEWEST_SHARES - 3);
        int room = LINES - head.size() - phases.size() - remarks.size() - 3;
        List<String> shares = Shares.lines(p, style, Math.max(FEWEST_SHARES, room));
        head.forEach(out::println);
        out.println();
        shares.forEach(out::println);
        out.println();
        phases.forEach(out::println);
        for (String remark : remarks) {
            out.println(style.faint(remark));
        }
    }

    private static List<String> peaks(Prediction p, Style style) {
        Prediction.Peak peak = p.peak();
        String where = "in " + peak.moment().words();
        List<String> lines = new ArrayList<>(List.of(
                peak(style, "Peak", "allocated", peak.allocated(), where),
                peak(style, "", "reserved", peak.reserved(), "segments that the allocator took from the driver"),
                peak(style, "", "device", peak.device(), device(p))));
        for (DeviceLine line : p.certainty().lines()) {
            if (line.part().equals(DeviceLine.PAGED)) {
                lines.add(peak(
                        style, "", "paged", line.bytes(), "beside it; CUDA moves it to the host for want of room"));
            }
        }
        return lines;
    }

    /** What is counted beside reserved memory, and the interval: of a run that fails, what it would take. */
    private static String device(Prediction p) {
        Interval i = p.certainty().interval();
        String interval = (p.devices().size() > 1 ? "fullest, " : "") + Math.round(100 * i.level()) + " %: "
                + Mib.range(i.low(), i.high());
        long beside = p.peak().device() - p.peak().reserved();
        if (p.oom() != null) {
            return "with room to spare, " + interval;
        }
        boolean nccl = p.certainty().lines().stream().anyMatch(l -> l.part().equals(DeviceLine.NCCL));
        String mib = (beside >> 20) + " MiB";
        return (beside == 0 ? "" : nccl ? "CUDA and NCCL " + mib + "; " : "CUDA's " + mib + " included; ") + interval;
    }

    private static String peak(Style style, String title, String name, long bytes, String note) {
        return style.strong(Columns.left(title, 6)) + Columns.left(name, 10) + Columns.right(Mib.text(bytes), 11) + "  "
                + style.faint(note);
    }

    /** Warnings and operators without a rule, in so many lines; the rest is counted. */
    private static List<String> remarks(Prediction p, int most) {
        List<String> lines = new ArrayList<>();
        if (!p.unmodelled().isEmpty()) {
            List<String> names = new ArrayList<>();
            p.unmodelled().forEach(u -> names.add(u.operator() + " x" + u.count()));
            lines.addAll(Wrap.lines("unmodelled, estimated roughly: " + String.join(", ", names), WIDTH, "  "));
        }
        if (p.convolutions() != null) {
            lines.addAll(Wrap.lines("cuDNN workspaces: " + workspaces(p.convolutions()), WIDTH, "  "));
        }
        for (String warning : p.warnings()) {
            lines.addAll(Wrap.lines("warning: " + warning, WIDTH, "  "));
        }
        int room = Math.max(2, most);
        if (lines.size() <= room) {
            return lines;
        }
        List<String> cut = new ArrayList<>(lines.subList(0, room - 1));
        cut.add("... " + (lines.size() - room + 1) + " more lines of warnings: --json has them all");
        return cut;
    }

    /** Such as {@code 160 convolutions asked, 3 distilled (cuDNN 9.24.0)}. */
    private static String workspaces(Prediction.Convolutions convolutions) {
        StringJoiner text = new StringJoiner(", ");
        convolutions
                .answered()
                .forEach((level, n) -> text.add(n + (n == 1 ? " convolution " : " convolutions ") + level));
        return text + (convolutions.source().isEmpty() ? "" : " (" + convolutions.source() + ")");
    }
}
