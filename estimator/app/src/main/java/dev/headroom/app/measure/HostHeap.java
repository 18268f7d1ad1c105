package dev.headroom.app.measure;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.Mib;
import java.util.Map;

/** Whether a run's values fit into Java's heap, where the host backend keeps them. */
final class HostHeap {
    /** Kernels of three operands and a result hold each as doubles, and four bytes for each element's place. */
    private static final long BYTES_OF_AN_ELEMENT = 4 * (8 + 4);

    /** Java itself, the graph and the prediction. */
    private static final long OTHERS = 64L << 20;

    private HostHeap() {}

    /**
     * Refuses what cannot work before anything runs.
     *
     * @param reserved predicted peak of reserved bytes
     * @param heap bytes that Java may use
     * @throws UserInputException in one line, with what to do
     */
    static void check(Graph graph, Scenario run, long reserved, long heap) {
        Map<String, Long> symbols = PreparedRun.symbols(graph, run);
        long elements = 0;
        long bytes = 0;
        for (TensorMeta meta : graph.values().values()) {
            long n = elements(meta, symbols);
            elements = Math.max(elements, n);
            DType type = run.precision().dtype() != null && meta.dtype().isFloatingPoint()
                    ? run.precision().dtype()
                    : meta.dtype();
            bytes = Math.max(bytes, n * type.bytes());
        }
        long needed = reserved + elements * BYTES_OF_AN_ELEMENT + OTHERS;
        boolean tooLong = bytes > Integer.MAX_VALUE - (2L << 20);
        if (needed > heap || tooLong) {
            String why = tooLong
                    ? "has a tensor of " + Mib.text(bytes) + ", and Java's arrays hold 2 GiB"
                    : "needs about " + Mib.text(needed) + " of Java's heap, which has " + Mib.text(heap);
            throw new UserInputException("--backend host: " + graph.name() + " " + why
                    + "; take a smaller --batch, or --backend none, which measures memory without computing"
                    + (tooLong ? "" : ", or give Java more with HEADROOM_JAVA_OPTS=-Xmx" + gib(needed) + "g"));
        }
    }

    private static long elements(TensorMeta meta, Map<String, Long> symbols) {
        long n = 1;
        for (var size : meta.sizes()) {
            n *= size.evaluate(symbols);
        }
        return n;
    }

    private static long gib(long bytes) {
        return (bytes >> 30) + 1;
    }
}
