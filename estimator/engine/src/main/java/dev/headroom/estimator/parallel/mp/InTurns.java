package dev.headroom.estimator.parallel.mp;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parts.Division;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Microbatches go through the parts one behind another, so that all GPUs work: the loop of PyTorch's tutorial on model
 * parallelism. In each round the last part works first, and what a part made is copied to the next device at once.
 */
final class InTurns implements ForwardPass {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final Graph imported;
    private final Parallelism parallel;
    private final Map<Long, Parts> bySize = new HashMap<>();
    private final List<String> outputs;

    InTurns(TrainingLoop loop, Graph imported, Parallelism parallel) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.imported = imported;
        this.parallel = parallel;
        this.outputs = OneByOne.outputs(loop.prepared().graph());
    }

    private Parts parts(long rows) {
        return bySize.computeIfAbsent(rows, n -> {
            PreparedRun run =
                    Preparation.of(imported, loop.prepared().scenario().with(ScenarioSettings.BATCH, n));
            Division division =
                    Division.of(run, parallel.world(), parallel.pipeline().split());
            Parts parts = new Parts(loop, run, division);
            if (!parts.part(parts.count() - 1).outputs().containsAll(outputs)) {
                throw new UserInputException("`microbatches`: the model has outputs that its last part does not make");
            }
            return parts;
        });
    }

    @Override
    public Tensor[] run(Map<String, Tensor> inputs) {
        try (Frame frame = runtime.frame()) {
            List<Map<String, Tensor>> waiting = split(inputs);
            int n = parallel.world();
            List<Map<String, Tensor>> held = new ArrayList<>();
            long[] rows = new long[n];
            for (int d = 0; d < n; d++) {
                held.add(null);
            }
            List<Map<String, Tensor>> done = new ArrayList<>();
            Map<String, Tensor> made = Map.of(); // the loop's variable: it keeps what a part made until the next has
            int next = 0;
            do {
                if (next < waiting.size()) {
                    held.set(0, waiting.get(next));
                    rows[0] = rows(waiting.get(next++));
                }
                for (int d = n - 1; d >= 0; d--) {
                    if (held.get(d) == null) {
                        continue;
                    }
                    Map<String, Tensor> fresh = parts(rows[d]).run(d, held.get(d));
                    if (d > 0) {
                        held.get(d).values().forEach(runtime::release);
                    }
                    made.values().forEach(runtime::release);
                    made = fresh;
                    held.set(d, null);
                    if (d == n - 1) {
                        fresh.values().forEach(runtime::hold);
                        done.add(fresh);
                    } else {
                        try (Frame copies = runtime.frame()) {
                            held.set(d + 1, parts(rows[d]).copies(d + 1, fresh));
                        }
                        rows[d + 1] = rows[d];
                    }
                }
            } while (held.stream().anyMatch(h -> h != null));
            Tensor[] out = join(done);
            made.values().forEach(runtime::release);
            done.forEach(of -> of.values().forEach(runtime::release));
            return out;
        }
    }

    private Tensor[] join(List<Map<String, Tensor>> done) {
        runtime.devices().use(parallel.world() - 1);
        Tensor[] out = new Tensor[outputs.size()];
        for (int i = 0; i < out.length; i++) {
            String name = outputs.get(i);
            if (name == null) {
                continue;
            }
            Tensor[] parts = done.stream().map(of -> of.get(name)).toArray(Tensor[]::new);
            if (parts[0].dim() == 0) {
                throw new UserInputException("`microbatches`: the model returns a scalar, which cannot be put together"
                        + " again; export it without its loss");
            }
            out[i] = runtime.hold(Joining.cat(runtime, 0, parts));
        }
        runtime.devices().use(0);
        return out;
    }

    private static long rows(Map<String, Tensor> batch) {
        return batch.values().iterator().next().size(0);
    }

    /** {@code x.split(len(x) // microbatches)} of the user's inputs: views. */
    private List<Map<String, Tensor>> split(Map<String, Tensor> inputs) {
        List<Map<String, Tensor>> out = new ArrayList<>();
        for (Graph.Input in : loop.prepared().graph().inputs()) {
            Tensor whole = in.kind() == Graph.InputKind.USER ? inputs.get(in.value()) : null;
            if (whole == null) {
                continue;
            }
            long size = whole.size(0) / parallel.pipeline().microbatches();
            int k = 0;
            for (long at = 0; at < whole.size(0); at += size) {
                long[] sizes = whole.sizes().clone();
                sizes[0] = Math.min(size, whole.size(0) - at);
                if (out.size() == k) {
                    out.add(new HashMap<>());
                }
                out.get(k++)
                        .put(
                                in.value(),
                                runtime.reinterpret(
                                        whole, sizes, whole.strides(), whole.offset() + at * whole.stride(0)));
            }
        }
        return out;
    }

    @Override
    public NodeRuns runs() {
        return bySize.isEmpty()
                ? NodeRuns.NONE
                : bySize.values().iterator().next().runs();
    }
}
