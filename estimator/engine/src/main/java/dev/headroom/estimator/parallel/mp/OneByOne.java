package dev.headroom.estimator.parallel.mp;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parts.Division;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code for d, p in enumerate(parts): x = p(x.to(d))}: one GPU works while the others wait. */
final class OneByOne implements ForwardPass {
    private final EagerRuntime runtime;
    private final Graph graph;
    private final Parts parts;

    OneByOne(TrainingLoop loop, Division division) {
        this.runtime = loop.runtime();
        this.graph = loop.prepared().graph();
        this.parts = new Parts(loop, loop.prepared(), division);
    }

    @Override
    public Tensor[] run(Map<String, Tensor> inputs) {
        Map<String, Tensor> user = new HashMap<>();
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() == Graph.InputKind.USER) {
                user.put(in.value(), runtime.hold(inputs.get(in.value())));
            }
        }
        Map<String, Tensor> values = user;
        for (int k = 0; k < parts.count(); k++) {
            values = next(k, values);
        }
        Map<String, Tensor> last = values;
        List<String> names = outputs(graph);
        Tensor[] out = names.stream()
                .map(name -> name == null ? null : runtime.hold(last.get(name)))
                .toArray(Tensor[]::new);
        values.values().forEach(runtime::release);
        return out;
    }

    /** The user's outputs, {@code null} for one that is no tensor. */
    static List<String> outputs(Graph graph) {
        return graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .map(Graph.Output::value)
                .collect(Collectors.toList());
    }

    /** Runs a part and keeps what is asked for behind it. The arguments of its call live until it returns. */
    private Map<String, Tensor> next(int k, Map<String, Tensor> before) {
        Map<String, Tensor> given;
        try (Frame copies = runtime.frame()) {
            given = parts.copies(k, before);
        }
        Map<String, Tensor> after = new HashMap<>(parts.run(k, given));
        before.forEach((name, t) -> {
            if (isRead(name, k)) {
                after.put(name, runtime.hold(t));
            }
        });
        given.values().forEach(runtime::release);
        before.values().forEach(runtime::release);
        return after;
    }

    private boolean isRead(String name, int behind) {
        boolean later = outputs(graph).contains(name);
        for (int k = behind + 1; k < parts.count(); k++) {
            later |= parts.part(k).inputs().contains(name);
        }
        return later;
    }

    @Override
    public NodeRuns runs() {
        return parts.runs();
    }
}
