package dev.headroom.estimator.parallel.dp;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.DeviceCopies;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One call of the wrapped model: scatter, replicate, run in parallel, gather. */
final class SplitForward implements ForwardPass {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final Graph graph;
    private final Coalesced coalesced;

    /** Rows of the batch that each GPU gets. */
    private final List<Long> rows;

    private final List<GraphRunner> runners = new ArrayList<>();

    SplitForward(TrainingLoop loop, Graph imported, CollectiveLog log, int devices) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.graph = loop.prepared().graph();
        this.rows = chunks(batch(loop.prepared()), devices);
        this.coalesced = new Coalesced(runtime, log, rows.size());
        Map<Long, PreparedRun> bySize = new HashMap<>();
        for (long size : rows) {
            runners.add(loop.runner(bySize.computeIfAbsent(
                    size,
                    n -> Preparation.of(imported, loop.prepared().scenario().with(ScenarioSettings.BATCH, n)))));
        }
    }

    /** Rows of the user's first input. */
    private static long batch(PreparedRun run) {
        return run.graph().inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER)
                .map(in -> run.graph().values().get(in.value()))
                .filter(meta -> meta != null && !meta.sizes().isEmpty())
                .findFirst()
                .map(meta -> meta.sizes().get(0).evaluate(run.symbols()))
                .orElse(1L);
    }

    /** {@code torch.chunk}: as many rows each, rounded up; the last ones get less, or are not there at all. */
    private static List<Long> chunks(long batch, int devices) {
        long size = Bytes.ceilDiv(batch, devices);
        List<Long> out = new ArrayList<>();
        for (long at = 0; at < batch; at += size) {
            out.add(Math.min(size, batch - at));
        }
        return out;
    }

    /** Whether the model's first output is a scalar, of which each GPU has one. */
    static boolean gathersScalars(PreparedRun run) {
        return run.graph().outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION && o.value() != null)
                .findFirst()
                .map(o -> run.graph().values().get(Objects.requireNonNull(o.value())))
                .map(meta -> meta.sizes().isEmpty())
                .orElse(false);
    }

    @Override
    public Tensor[] run(Map<String, Tensor> inputs) {
        try (Frame frame = runtime.frame()) {
            List<Map<String, Tensor>> values = scatter(inputs);
            List<Map<Tensor, Tensor>> replicas = new Replicas(runtime, loop.model(), coalesced, rows.size()).make();
            List<Tensor[]> made = new ArrayList<>();
            for (int d = 0; d < rows.size(); d++) {
                Map<String, Tensor> given = values.get(d);
                Map<Tensor, Tensor> replica = replicas.get(d);
                loop.model().byValue().forEach((name, t) -> given.put(name, replica.getOrDefault(t, t)));
                made.add(inThread(d, given));
            }
            Tensor[] out = new Tensor[made.get(0).length];
            for (int i = 0; i < out.length; i++) {
                int output = i;
                Tensor[] parts = made.stream().map(of -> of[output]).toArray(Tensor[]::new);
                out[i] = parts[0] == null ? null : runtime.hold(Gather.of(runtime, parts));
            }
            return out;
        }
    }

    /** Parts of the user's inputs by device: the first GPU's are views (torch/nn/parallel/scatter_gather.py). */
    private List<Map<String, Tensor>> scatter(Map<String, Tensor> inputs) {
        List<Map<String, Tensor>> out = new ArrayList<>();
        rows.forEach(n -> out.add(new HashMap<>(inputs)));
        for (Graph.Input in : graph.inputs()) {
            Tensor whole = in.kind() == Graph.InputKind.USER ? inputs.get(in.value()) : null;
            if (whole == null || whole.dim() == 0) {
                continue;
            }
            List<Long> parts = chunks(whole.size(0), rows.size());
            long offset = whole.offset();
            for (int d = 0; d < parts.size(); d++) {
                long[] sizes = whole.sizes().clone();
                sizes[0] = parts.get(d);
                Tensor part = runtime.reinterpret(whole, sizes, whole.strides(), offset);
                offset += whole.stride(0) * parts.get(d);
                out.get(d).put(in.value(), d == 0 ? part : DeviceCopies.to(runtime, part, d));
            }
        }
        return out;
    }

    /**
     * Runs a replica in a thread of its own (torch/nn/parallel/parallel_apply.py). Autocast is entered anew there, with
     * the type that a fresh thread has.
     */
    private Tensor[] inThread(int device, Map<String, Tensor> given) {
        Tensor[][] made = new Tensor[1][];
        int before = runtime.devices().use(device);
        AutocastMode.State outside = runtime.autocast().state();
        runtime.autocast().enter(new AutocastMode.State(outside.enabled(), DType.FLOAT16, true));
        runtime.threads().run(() -> made[0] = runners.get(device).run(given));
        runtime.autocast().exit(outside);
        runtime.devices().use(before);
        for (Tensor t : made[0]) {
            runtime.adopt(t);
        }
        return made[0];
    }

    @Override
    public NodeRuns runs() {
        return runners.get(0).runs();
    }
}
