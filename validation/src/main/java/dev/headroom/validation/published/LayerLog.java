package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.RunWatcher;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * P4: what each module of a ResNet-18 adds to allocated memory, as hooks before and after its passes read it (2019).
 */
public final class LayerLog {
    /** What a module's forward or backward pass changed. */
    record Step(Phase phase, String module, long delta) {}

    /** Published MiB in forward order. */
    private record Row(Phase phase, String module, double delta) {}

    private static final List<Row> ROWS = List.of(
            new Row(Phase.FORWARD, "conv1", 392),
            new Row(Phase.FORWARD, "bn1", 392),
            new Row(Phase.FORWARD, "relu", 0),
            new Row(Phase.FORWARD, "maxpool", 294),
            new Row(Phase.FORWARD, "layer1.0.conv1", 98),
            new Row(Phase.FORWARD, "layer1.0.bn1", 98),
            new Row(Phase.FORWARD, "layer1.0.conv2", 98),
            new Row(Phase.FORWARD, "layer1.0.bn2", 98),
            new Row(Phase.FORWARD, "layer1.1.conv1", 98),
            new Row(Phase.FORWARD, "layer1.1.bn1", 98),
            new Row(Phase.FORWARD, "layer1.1.conv2", 98),
            new Row(Phase.FORWARD, "layer1.1.bn2", 98),
            new Row(Phase.BACKWARD, "fc", 2),
            new Row(Phase.BACKWARD, "layer1.0.bn1", -98),
            new Row(Phase.BACKWARD, "layer1.0.conv1", -98),
            new Row(Phase.BACKWARD, "maxpool", 98),
            new Row(Phase.BACKWARD, "relu", 98),
            new Row(Phase.BACKWARD, "bn1", -392),
            new Row(Phase.BACKWARD, "conv1", -784));

    /** Modules that hold others have no hooks. */
    private static final Pattern BLOCKS = Pattern.compile("layer[0-9](\\.[0-9])?");

    private LayerLog() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Step> steps = steps();
        List<Figure> out = new ArrayList<>();
        for (Row row : ROWS) {
            long delta = steps.stream()
                    .filter(s -> s.phase == row.phase && s.module.equals(row.module))
                    .findFirst()
                    .map(Step::delta)
                    .orElse(0L); // in place: nothing happened
            out.add(Figure.of("P4", row.module + ", " + row.phase, Quantity.ALLOCATED, delta, row.delta, ""));
        }
        return out;
    }

    /** The log of one training step. */
    static List<Step> steps() {
        Hooks hooks = new Hooks();
        Predictor.simulate(
                Runs.request("resnet18-i224", "v100-16gb", run -> run.with(TORCH, TorchVersion.of("1.8"))
                        .with(BATCH, 128L)
                        .with(OPTIMIZER, OptimizerKind.NONE)
                        .with(LOSS, LossKind.SUM)
                        .with(STEPS, 1)),
                hooks);
        return hooks.steps;
    }

    /**
     * Reads allocated memory when the pass of a module changes. A hook of a backward pass runs when the node has its
     * results, before what it was given and what it kept are released (torch/csrc/autograd/engine.cpp, call_function).
     */
    private static final class Hooks implements RunWatcher {
        private static final int BLOCK = 512;

        private final List<Step> steps = new ArrayList<>();
        private Phase phase = Phase.MODEL;
        private Attribution running = new Attribution("", "", "");
        private long atHook;
        private long atLastHook;

        @Override
        public void begins(CachingAllocator allocator, Place place) {
            allocator.setListener((action, address, bytes, stream, pool) -> {
                if (action == Action.ALLOC || action == Action.FREE_REQUESTED) {
                    long allocated = allocator.statistics().allocatedBytes().current();
                    event(place.running(), place.moment().phase(), allocated, action, bytes);
                }
            });
        }

        private void event(Attribution node, Phase now, long allocated, Action action, long bytes) {
            long block = (bytes + BLOCK - 1) / BLOCK * BLOCK;
            long before = action == Action.ALLOC ? allocated : allocated + block;
            // Hooks are the module's: the nodes of its backward pass are one to them.
            Attribution here = new Attribution(node.module(), node.operator(), "");
            if (!here.equals(running) || now != phase) {
                hook(phase == Phase.BACKWARD ? atHook : before);
                if (now != phase) {
                    atLastHook = before;
                }
                running = here;
                phase = now;
                atHook = before;
            }
            if (action == Action.ALLOC) {
                atHook = allocated + block;
            }
        }

        private void hook(long allocated) {
            if (!running.module().isEmpty() && !BLOCKS.matcher(running.module()).matches()) {
                steps.add(new Step(phase, running.module(), allocated - atLastHook));
                atLastHook = allocated;
            }
        }
    }
}
