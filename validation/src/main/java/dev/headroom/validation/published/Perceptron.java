package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * P1: a deep perceptron under {@code checkpoint_sequential} on an RTX 2080 Super (2020). Peak memory over the number
 * of segments is a U. The article's versions are those before 1.6: ReLU keeps its input, reductions read one element at
 * a time, and a linear layer adds its bias apart.
 */
public final class Perceptron {
    private static final TorchVersion TORCH = TorchVersion.of("1.5");
    /** {@code nvidia-smi} less reserved memory: the context of an eagerly loading CUDA, and a desktop. */
    static final long CONTEXT_AND_DESKTOP = 822 * Bytes.MIB;

    /** 7.77 GiB, as the article's error message says. */
    private static final long USABLE = Math.round(7.77 * 1024) * Bytes.MIB;

    /** From here on each segment but the last is one of the 33 modules. */
    private static final int MOST_SEGMENTS = 17;

    private static final String CUT = "published in whole MiB, cut";
    private static final String INPUT_ON_HOST =
            CUT + "; the input's gradient (0.8 MiB) lay in host memory with the input";

    /** Published: allocated after the run, max allocated, nvidia-smi. */
    private record Row(double after, double max, double smi) {}

    private static final Map<Integer, Row> SEGMENTS = new TreeMap<>(Map.of(
            2, new Row(148, 6033, 7212),
            4, new Row(145, 4350, 6000),
            8, new Row(145, 3777, 5428),
            10, new Row(145, 4159, 5810),
            16, new Row(145, 4999, 6190)));

    private Perceptron() {}

    private static PredictionRequest request(int segments) {
        return request("mlp-xor", run -> run.with(INPUT_GRAD, segments > 0).with(CHECKPOINT, segments));
    }

    /** Two steps on the article's card. */
    static PredictionRequest request(String archive, UnaryOperator<Scenario> options) {
        Gpu card = GpuCatalogue.find("rtx-2080-super").orElseThrow();
        long inUse = CONTEXT_AND_DESKTOP - DeviceLines.bytes(DeviceLines.of(card, false, false));
        return Runs.request(
                archive,
                card.name(),
                USABLE,
                inUse,
                run -> options.apply(run.with(ScenarioSettings.TORCH, TORCH)
                        .with(BATCH, 100_000L)
                        .with(STEPS, 2)));
    }

    /** The plain run, which fails. */
    public static Prediction plain() {
        return Runs.predict(request(0));
    }

    /** The highest allocated memory in bytes by number of segments. */
    public static NavigableMap<Integer, Long> curve() {
        NavigableMap<Integer, Long> peaks = new TreeMap<>();
        for (int segments = 2; segments <= MOST_SEGMENTS; segments++) {
            peaks.put(segments, Runs.predict(request(segments)).peak().allocated());
        }
        return peaks;
    }

    /** The number of segments with the lowest predicted peak among those that were published. */
    public static int best() {
        NavigableMap<Integer, Long> curve = curve();
        return SEGMENTS.keySet().stream().min(Comparator.comparing(curve::get)).orElseThrow();
    }

    /** What the article's reader wants to know besides: the curve, the best count, and why to checkpoint at all. */
    static List<String> remarks() {
        OutOfMemory oom = plain().oom();
        NavigableMap<Integer, Long> curve = curve();
        long least = Collections.min(curve.values());
        List<Integer> best = curve.entrySet().stream()
                .filter(e -> e.getValue() / Bytes.MIB == least / Bytes.MIB)
                .map(Map.Entry::getKey)
                .toList();
        StringBuilder points = new StringBuilder("P1: predicted MiB by segments:");
        curve.forEach((n, bytes) -> points.append(' ')
                .append(n)
                .append(": ")
                .append(bytes / Bytes.MIB)
                .append(','));
        points.setCharAt(points.length() - 1, '.');
        return List.of(
                points.toString(),
                "P1: the best of the published numbers of segments is " + best() + ", of all " + best + "; without"
                        + " checkpoints "
                        + (oom == null
                                ? "the run fits."
                                : "a request of " + oom.requested() / Bytes.MIB + " MiB fails."));
    }

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        SEGMENTS.forEach((n, row) ->
                out.addAll(figures("P1", n + " segments", Runs.predict(request(n)), row.after, row.max, row.smi)));
        return out;
    }

    /** The three figures that the article has of each run, in MiB. */
    static List<Figure> figures(String system, String what, Prediction p, double after, double max, double smi) {
        long left = p.phases().get(p.phases().size() - 1).allocated();
        return List.of(
                Figure.of(system, what + ", allocated after", Quantity.ALLOCATED, left, after, CUT),
                Figure.of(
                        system,
                        what + ", max allocated",
                        Quantity.ALLOCATED,
                        p.peak().allocated(),
                        max,
                        INPUT_ON_HOST),
                Figure.of(
                        system,
                        what + ", nvidia-smi",
                        Quantity.DEVICE,
                        p.peak().reserved() + CONTEXT_AND_DESKTOP,
                        smi,
                        "822 MiB of context and desktop, the same in all rows"));
    }
}
