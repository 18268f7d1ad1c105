package dev.headroom.app.sweep;

import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a sweep came to, on the terminal. */
final class SweepSummary {
    private SweepSummary() {}

    /**
     * Writes it.
     *
     * @param before rows that an earlier run of the same sweep had done
     * @param options that tell rows from each other
     * @param shown the first rows of the Pareto set
     * @param best how many it has
     */
    static void write(
            Path table,
            Finish.Counts counts,
            long before,
            List<Column> options,
            List<Row> shown,
            int best,
            PrintWriter out) {
        List<String> parts = new ArrayList<>();
        part(parts, counts.fit(), "fit");
        part(parts, counts.doNotFit(), "do not fit");
        part(parts, counts.failed(), "failed");
        out.println(table + ": " + counts.all() + (counts.all() == 1 ? " scenario" : " scenarios")
                + (parts.isEmpty() ? "" : ": " + String.join(", ", parts))
                + (before == 0 ? "" : "; " + before + " were done before"));
        if (shown.isEmpty()) {
            return;
        }
        out.println();
        out.println("Least device memory for its batch and sequence:");
        for (Row row : shown) {
            StringBuilder line = new StringBuilder("  row ").append(row.get(0));
            List<String> names = row.columns().stream().map(Column::name).toList();
            for (Column option : options) {
                Object cell = row.get(names.indexOf(option.name()));
                if (cell != null) {
                    line.append(", ").append(option.name()).append(' ').append(cell);
                }
            }
            Long device = (Long) row.get(names.indexOf("peak_device"));
            out.println(line.append(": ").append(device == null ? "?" : Mib.text(device)));
        }
        if (best > shown.size()) {
            out.println("  and " + (best - shown.size()) + " more: those whose 'pareto' is true");
        }
    }

    private static void part(List<String> parts, int count, String what) {
        if (count > 0) {
            parts.add(count + " " + what);
        }
    }
}
