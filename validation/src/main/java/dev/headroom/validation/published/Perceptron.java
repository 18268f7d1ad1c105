package dev.headroom.validation.published;

import dev.headroom.device.DeviceLines;
import dev.headroom.graph.DType;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * P1 and P3: a deep perceptron under {@code checkpoint_sequential} on an RTX 2080 Super (2020). Peak memory over the number
 * of segments is a U. The article's versions are those before 1.6: ReLU keeps its input and reductions read one element at
 * a time.
 */
public final class Perceptron {
    private static final String TORCH = "1.5";
    private static final long MIB = 1 << 20;
    /** {@code nvidia-smi} less reserved memory: the context of an eagerly loading CUDA, and a desktop. */
    static final long CONTEXT_AND_DESKTOP = 822 * MIB;

    /** 7.77 GiB, as the article's error message says. */
    private static final long USABLE = Math.round(7.77 * 1024) * MIB;

    /** Published: allocated after the run, max allocated, nvidia-smi. */
    private record Row(double after, double max, double smi) {}

    private static final Map<Integer, Row> SEGMENTS = new TreeMap<>(Map.of(
            2, new Row(148, 6033, 7212),
            4, new Row(145, 4350, 6000),
            8, new Row(145, 3777, 5428),
            10, new Row(145, 4159, 5810),
            16, new Row(145, 4999, 6190)));

    private Perceptron() {}

    private static PredictionRequest request(int segments, DType type) {
        long inUse = CONTEXT_AND_DESKTOP
                - DeviceLines.bytes(DeviceLines.of(
                        dev.headroom.device.GpuCatalogue.find("rtx-2080-super").orElseThrow(), false, false));
        return Runs.request("mlp-xor", "rtx-2080-super", USABLE, inUse, run -> {
            run.torch = TORCH;
            run.batch = 100_000L;
            run.steps = 2;
            run.inputGrad = segments > 0;
            run.checkpoint = segments;
            run.dtype = type;
        });
    }

    /** The plain run, which fails. */
    public static Prediction plain() {
        return Runs.predict(request(0, null));
    }

    /** The number of segments with the lowest predicted peak. */
    public static int best() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int segments : SEGMENTS.keySet()) {
            long peak = Runs.predict(request(segments, null)).peak().allocated();
            if (peak < least) {
                least = peak;
                best = segments;
            }
        }
        return best;
    }

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        SEGMENTS.forEach((n, row) -> {
            Prediction p = Runs.predict(request(n, null));
            long after = p.phases().get(p.phases().size() - 1).allocated();
            String rest = "scratch of the bias gradients' sums: 3 MiB by the rules of 1.6 without vectors";
            out.add(Figure.of("P1", n + " segments, allocated after", after, row.after, ""));
            out.add(Figure.of("P1", n + " segments, max allocated", p.peak().allocated(), row.max, rest));
            out.add(Figure.of(
                    "P1",
                    n + " segments, nvidia-smi",
                    p.peak().reserved() + CONTEXT_AND_DESKTOP,
                    row.smi,
                    "822 MiB of context and desktop, the same in all rows"));
        });
        Prediction half = Runs.predict(request(2, DType.FLOAT16));
        out.add(Figure.of("P3", "2 blocks in fp16, max allocated", half.peak().allocated(), 3015, "as in P1"));
        out.add(Figure.of(
                "P3",
                "2 blocks in fp16, allocated after",
                half.phases().get(half.phases().size() - 1).allocated(),
                75,
                ""));
        return out;
    }
}
