package dev.headroom.app.report;

import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;

/** What every layer holds, in execution order. */
public final class LayerTable {
    private static final int MODULE = 36;
    private static final int OPERATOR = 26;
    private static final int NUMBER = 11;

    private LayerTable() {}

    /** Writes the table in MiB, with the sums below. */
    public static void write(Prediction prediction, PrintWriter out) {
        out.println(Columns.left("module", MODULE)
                + ' '
                + Columns.left("operator", OPERATOR)
                + Columns.right("parameters", NUMBER)
                + Columns.right("gradients", NUMBER)
                + Columns.right("optimizer", NUMBER)
                + Columns.right("saved", NUMBER)
                + Columns.right("at peak", NUMBER)
                + "  MiB");
        long[] sums = new long[5];
        for (LayerShare layer : prediction.layers()) {
            long[] row = {
                layer.parameters(), layer.gradients(), layer.optimizerState(), layer.saved(), layer.peakShare()
            };
            for (int i = 0; i < row.length; i++) {
                sums[i] += row[i];
            }
            row(out, layer.module().isEmpty() ? "(model)" : layer.module(), layer.operator(), row);
        }
        row(out, "total", "", sums);
    }

    private static void row(PrintWriter out, String module, String operator, long[] bytes) {
        StringBuilder line = new StringBuilder(Columns.path(module, MODULE)).append(' ');
        line.append(Columns.left(operator, OPERATOR));
        for (long b : bytes) {
            line.append(Columns.right(Mib.number(b), NUMBER));
        }
        out.println(line);
    }
}
