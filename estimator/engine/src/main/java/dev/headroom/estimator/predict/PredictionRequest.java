package dev.headroom.estimator.predict;

import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** A question: this graph, trained so, on the scenario's card. */
public record PredictionRequest(Graph graph, Scenario scenario) {
    /** Starts of the names of operators that cuDNN may run. */
    private static final List<String> CUDNN =
            List.of("aten.conv", "aten._conv", "aten.cudnn", "aten.batch_norm", "aten.lstm", "aten.gru", "aten.rnn");

    private static final GraphMemo<Boolean> ASKS_CUDNN = new GraphMemo<>(
            graph -> graph.nodes().stream().anyMatch(n -> CUDNN.stream().anyMatch(n.target()::startsWith)));

    /** The card, and what of its memory the run may use. */
    public DeviceBudget device() {
        return scenario.device();
    }

    /**
     * Device memory of the process beside what its allocator reserves; empty where no card is named, because it is
     * memory of that card.
     *
     * @throws dev.headroom.model.error.UserInputException when the user's calibration cannot be read
     */
    public List<DeviceLine> deviceLines() {
        if (device().gpu() == null) {
            return List.of();
        }
        return DeviceLines.of(
                device().gpu(),
                scenario.torch().loadsKernelsLazily(),
                ASKS_CUDNN.of(graph),
                scenario.parallel().communicators());
    }

    /** The same question of another graph. */
    public PredictionRequest with(Graph other) {
        return new PredictionRequest(other, scenario);
    }

    /** The same question for another scenario. */
    public PredictionRequest with(Scenario other) {
        return new PredictionRequest(graph, other);
    }

    /** The same run and the same card's kernels, with room for anything. */
    public PredictionRequest unbounded() {
        return with(unbounded(scenario));
    }

    /** The same run and the same card's kernels, with room for anything. */
    public static Scenario unbounded(Scenario scenario) {
        DeviceBudget device = scenario.device();
        return scenario.withDevice(device.unknown().withGpu(device.gpu()).withMemory(Predictor.UNBOUNDED));
    }
}
