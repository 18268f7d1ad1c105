package dev.headroom.validation.published;

import dev.headroom.allocator.AllocatorListener;
import dev.headroom.predict.Predictor;
import dev.headroom.training.LossKind;
import dev.headroom.training.OptimizerKind;
import java.util.ArrayList;
import java.util.List;

/**
 * P4: what each module of a ResNet-18 adds to allocated memory, as hooks before and after its passes read it (2019).
 */
public final class LayerLog {
    /** What a module's forward or backward pass changed. */
    record Step(String phase, String module, long delta) {}

    /** Published MiB in forward order. */
    private record Row(String phase, String module, double delta) {}

    private static final List<Row> ROWS = List.of(
            new Row("forward", "conv1", 392),
            new Row("forward", "bn1", 392),
            new Row("forward", "relu", 0),
            new Row("forward", "maxpool", 294),
            new Row("forward", "layer1.0.conv1", 98),
            new Row("forward", "layer1.0.bn1", 98),
            new Row("forward", "layer1.0.conv2", 98),
            new Row("forward", "layer1.0.bn2", 98),
            new Row("forward", "layer1.1.conv1", 98),
            new Row("forward", "layer1.1.bn1", 98),
            new Row("forward", "layer1.1.conv2", 98),
            new Row("forward", "layer1.1.bn2", 98),
            new Row("backward", "fc", 2),
            new Row("backward", "layer1.0.bn2", -98),
            new Row("backward", "layer1.0.conv2", -98),
            new Row("backward", "bn1", -392),
            new Row("backward", "conv1", -784));

    private LayerLog() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Step> steps = steps();
        List<Figure> out = new ArrayList<>();
        for (Row row : ROWS) {
            long delta = steps.stream()
                    .filter(s -> s.phase.equals(row.phase) && s.module.equals(row.module))
                    .mapToLong(Step::delta)
                    .sum();
            out.add(Figure.of("P4", row.module + ", " + row.phase, delta, row.delta, ""));
        }
        return out;
    }

    /** The log of one training step. */
    static List<Step> steps() {
        List<Step> out = new ArrayList<>();
        Predictor.simulate(
                Runs.request("resnet18-i224", "v100-16gb", run -> {
                    run.torch = "1.8";
                    run.batch = 128L;
                    run.optimizer = OptimizerKind.NONE;
                    run.loss = LossKind.SUM;
                    run.steps = 1;
                }),
                (runtime, loop) -> runtime.allocator().setListener(new AllocatorListener() {
                    private String phase = "";
                    private String module = "";
                    private long before;

                    @Override
                    public void event(Action action, long address, long bytes, int stream, int pool) {
                        if (action != Action.ALLOC && action != Action.FREE_REQUESTED) {
                            return;
                        }
                        long block = (bytes + 511) / 512 * 512;
                        long now = runtime.allocator()
                                        .statistics()
                                        .allocatedBytes()
                                        .current()
                                + (action == Action.FREE_REQUESTED ? block : 0);
                        String running =
                                runtime.attribution(runtime.attribution()).module();
                        if (!running.equals(module) || !loop.phase().equals(phase)) {
                            out.add(new Step(phase, module, now - before));
                            before = now;
                            phase = loop.phase();
                            module = running;
                        }
                    }
                }));
        return out;
    }
}
