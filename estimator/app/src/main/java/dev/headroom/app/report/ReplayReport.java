package dev.headroom.app.report;

import dev.headroom.allocator.replay.ReplayComparison;
import dev.headroom.allocator.replay.ReplayResult;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A trace under several settings, for people and for programs.
 *
 * @param trace name of the file
 * @param device that was named, or null for the recorded one
 * @param totalBytes of the device in play
 * @param comparison the recorded settings first
 * @param warnings a line each
 */
public record ReplayReport(
        String trace,
        Prediction.@Nullable Device device,
        long totalBytes,
        ReplayComparison comparison,
        List<String> warnings) {
    private static final int WIDTH = 79;
    private static final int NAME = 34;
    private static final int NUMBER = 10;

    /** A table that fits 79 columns, the best setting above it. */
    public void write(Style style, PrintWriter out) {
        ReplayResult best = comparison.best();
        lines(best == null ? nothing() : verdict(best))
                .forEach(line -> out.println(best == null ? style.bad(line) : style.good(line)));
        lines(printable(trace) + ": "
                        + String.format(Locale.ROOT, "%,d", recorded().events()) + " events" + where())
                .forEach(out::println);
        out.println();
        out.println(style.strong(Columns.left("MiB", NAME) + Columns.right("allocated", NUMBER)
                + Columns.right("reserved", NUMBER) + Columns.right("fragment.", NUMBER)
                + Columns.right("retries", NUMBER)
                + "  OOM"));
        for (ReplayResult result : comparison.results()) {
            String name = result.equals(recorded()) ? "as recorded (" + result.settings() + ")" : name(result);
            if (name.length() >= NAME) {
                out.println(name);
                name = "";
            }
            String row = Columns.left(name, NAME)
                    + Columns.right(Mib.number(result.peakAllocated()), NUMBER)
                    + Columns.right(Mib.number(result.peakReserved()), NUMBER)
                    + Columns.right(Mib.number(result.fragmentation()), NUMBER)
                    + Columns.right(Long.toString(result.retries()), NUMBER)
                    + (result.fits() ? "" : "  OOM");
            out.println(result.equals(best) ? style.good(row) : row);
        }
        comparison.results().stream()
                .filter(result -> !result.fits())
                .findFirst()
                .ifPresent(result -> lines(name(result) + ": " + failure(Objects.requireNonNull(result.firstFailure())))
                        .forEach(line -> out.println(style.bad(line))));
        for (String warning : warnings) {
            lines("warning: " + warning).forEach(line -> out.println(style.faint(line)));
        }
    }

    /** One object; see {@link ReplayJson}. */
    public void writeJson(PrintWriter out) {
        ReplayJson.write(this, out);
    }

    ReplayResult recorded() {
        return comparison.results().get(0);
    }

    /** Bytes that the allocator may reserve, or null. */
    @Nullable
    Long limit() {
        long allowed = recorded().settings().allowedBytes(totalBytes);
        return allowed == Long.MAX_VALUE ? null : (Long) allowed;
    }

    private String verdict(ReplayResult best) {
        String verb = " reserves " + Mib.text(best.peakReserved());
        if (best.equals(recorded())) {
            return "Best: as recorded (" + best.settings() + ")" + verb + "; no other setting needs less";
        }
        if (!recorded().fits()) {
            return "Best: " + name(best) + verb + "; as recorded the run does not get through";
        }
        long saved = recorded().peakReserved() - best.peakReserved();
        return "Best: " + name(best) + verb
                + (saved == 0 ? ", as much as recorded" : ", " + Mib.text(saved) + " less than as recorded");
    }

    private String nothing() {
        return "None of these settings gets through" + where();
    }

    private String where() {
        StringBuilder text = new StringBuilder();
        if (device != null) {
            String card = device.gpu() == null
                    ? Mib.text(device.memory())
                    : device.gpu().title();
            text.append(" on ").append(card);
        }
        return (limit() == null ? text : text.append(" within ").append(Mib.text(limit()))).toString();
    }

    private static String failure(ReplayResult.Failure failure) {
        String after = failure.phase().isEmpty() ? "" : " after " + printable(failure.phase());
        return "out of memory" + after + String.format(Locale.ROOT, " (event %,d)", failure.event()) + ", asking for "
                + Mib.text(failure.requested()) + " with " + Mib.text(failure.allocated()) + " in use";
    }

    private static String name(ReplayResult result) {
        return result.settings().toString();
    }

    private static List<String> lines(String text) {
        return new ArrayList<>(Wrap.lines(text, WIDTH, "  "));
    }

    /** Names come out of files: no control characters to a terminal. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
