package dev.headroom.estimator.predict;

import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;

/**
 * A question: this graph, trained so, on this card.
 *
 * @param gpu {@code null} when none was named; decides kernels and workspaces too
 * @param memory total device bytes, or {@code null} for the card's own
 * @param inUse bytes taken by others
 * @param limit bytes that the allocator may reserve, or {@code null}
 */
public record PredictionRequest(Graph graph, Scenario run, Gpu gpu, Long memory, long inUse, Long limit) {
    /** Starts of the names of operators that cuDNN may run. */
    private static final List<String> CUDNN =
            List.of("aten.conv", "aten._conv", "aten.cudnn", "aten.batch_norm", "aten.lstm", "aten.gru", "aten.rnn");

    /**
     * Device memory of the process beside what its allocator reserves; empty where no card is named, because it is memory
     * of that card.
     *
     * @throws dev.headroom.model.error.UserInputException when the user's calibration cannot be read
     */
    public List<DeviceLine> deviceLines() {
        if (gpu == null) {
            return List.of();
        }
        boolean cudnn = graph == null
                || graph.nodes().stream().anyMatch(n -> CUDNN.stream().anyMatch(n.operator()::startsWith));
        return DeviceLines.of(gpu, TorchVersion.of(run.torch).loadsKernelsLazily(), cudnn);
    }

    /** The same question of another graph. */
    public PredictionRequest with(Graph other) {
        return new PredictionRequest(other, run, gpu, memory, inUse, limit);
    }

    /** The same question for another run. */
    public PredictionRequest with(Scenario other) {
        return new PredictionRequest(graph, other, gpu, memory, inUse, limit);
    }

    /** The same run and the same card's kernels, with room for anything. */
    public PredictionRequest unbounded() {
        return new PredictionRequest(graph, run, gpu, Predictor.UNBOUNDED, 0, null);
    }
}
