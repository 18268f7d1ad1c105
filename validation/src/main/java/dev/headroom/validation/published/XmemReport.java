package dev.headroom.validation.published;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Prints every run of the xMem repository, and the errors of all estimators over the same runs. */
public final class XmemReport {
    private XmemReport() {}

    /** Arguments: a word that the names of the runs must have; none for all. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        List<XmemResult> results = new ArrayList<>();
        for (XmemRow row : XmemRow.all()) {
            if (arguments.length > 0 && !(row.kind() + " " + row.name()).contains(arguments[0])) {
                continue;
            }
            XmemResult r = XmemResult.of(row);
            results.add(r);
            out.println(String.format(
                    Locale.ROOT,
                    "%-58s measured %8.1f predicted %8.1f allocated %8.1f start %6.1f %s%s%s",
                    row.name(),
                    row.ground() / 1048576.0,
                    r.reserved() / 1048576.0,
                    r.allocated() / 1048576.0,
                    r.atStart() / 1048576.0,
                    r.comparable()
                            ? String.format(
                                    Locale.ROOT,
                                    "%+6.2f %% %+7.1f",
                                    100 * r.error(),
                                    (r.reserved() - row.ground()) / 1048576.0)
                            : "",
                    row.oom() ? " OOM" : "",
                    r.oom() ? " predicted OOM" : ""));
        }
        summary(out, "all", results, r -> true);
        summary(out, "cnn", results, r -> r.row().kind().equals("cnn"));
        summary(out, "transformer", results, r -> r.row().kind().equals("transformer"));
        for (String gpu : List.of("rtx-3060", "rtx-4060", "a100-40gb")) {
            summary(out, gpu, results, r -> r.row().gpu().equals(gpu));
        }
    }

    private static void summary(PrintStream out, String name, List<XmemResult> all, Predicate<XmemResult> which) {
        List<XmemResult> results = all.stream().filter(which).toList();
        double[] errors = results.stream()
                .filter(XmemResult::comparable)
                .mapToDouble(r -> Math.abs(r.error()))
                .sorted()
                .toArray();
        long right = results.stream().filter(r -> r.oom() == r.row().oom()).count();
        out.println(String.format(
                Locale.ROOT,
                "%-12s n %d median %.2f %% mean %.2f %% OOM right %d of %d",
                name,
                errors.length,
                100 * Medians.of(errors),
                100 * java.util.Arrays.stream(errors).average().orElse(0),
                right,
                results.size()));
        for (String other : List.of("xmem", "dnnmem", "schedtune", "llmem")) {
            List<XmemRow> rows = results.stream()
                    .map(XmemResult::row)
                    .filter(r -> r.estimates().containsKey(other))
                    .toList();
            double[] e = rows.stream()
                    .filter(r -> !r.oom() && !r.estimates().get(other).oom())
                    .mapToDouble(r -> Math.abs(r.estimates().get(other).bytes() - r.ground()) / r.ground())
                    .sorted()
                    .toArray();
            long ok = rows.stream()
                    .filter(r -> r.oom() == r.estimates().get(other).oom())
                    .count();
            out.println(String.format(
                    Locale.ROOT,
                    "  %-10s n %d median %.2f %% OOM right %d of %d",
                    other,
                    e.length,
                    100 * Medians.of(e),
                    ok,
                    rows.size()));
        }
    }
}
