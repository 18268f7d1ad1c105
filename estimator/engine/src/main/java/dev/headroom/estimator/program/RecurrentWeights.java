package dev.headroom.estimator.program;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.recurrent.RecurrentRules;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The weights of recurrent modules: once such a module's parameters are on the GPU, it moves them into one buffer for
 * cuDNN (torch/nn/modules/rnn.py, flatten_parameters; ATen/native/cudnn/RNN.cpp, _cudnn_rnn_flatten_weight).
 */
final class RecurrentWeights {
    private static final Set<String> CALLS =
            Set.of("aten.rnn_tanh.input", "aten.rnn_relu.input", "aten.gru.input", "aten.lstm.input");

    /**
     * One module's weights by storage name, and the elements of biases that cuDNN has room for though there are none.
     */
    private record Weights(List<String> names, boolean biases) {}

    private final Map<String, Weights> byModule = new HashMap<>();

    RecurrentWeights(Graph graph) {
        Map<String, String> storages = new HashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            if (held.value() != null) {
                storages.put(held.value(), held.storage());
            }
        });
        for (Node node : graph.nodes()) {
            if (CALLS.contains(node.target())) {
                add(node, storages);
            }
        }
    }

    private void add(Node node, Map<String, String> storages) {
        boolean biases = !(node.argument("has_biases") instanceof Argument.Bool b) || b.value();
        List<String> names = node.argument("params") instanceof Argument.Values v
                ? v.names().stream().map(storages::get).toList()
                : List.of();
        boolean plain = !names.isEmpty()
                && names.stream().allMatch(Objects::nonNull)
                && new HashSet<>(names).size() == names.size();
        if (plain) {
            byModule.put(ModelState.owner(names.get(0)), new Weights(names, biases));
        }
    }

    private static Tensor first(Weights weights, Map<String, Tensor> tensors) {
        String name = weights.names.get(0);
        return Objects.requireNonNull(tensors.get(name), name);
    }

    /** Moves a module's weights, if it is a recurrent one; {@code tensors} by storage name. */
    void flatten(EagerRuntime runtime, String module, Map<String, Tensor> tensors) {
        Weights weights = byModule.get(module);
        if (weights == null || !RecurrentRules.flattens(first(weights, tensors).dtype())) {
            return;
        }
        List<Tensor> before = weights.names.stream().map(tensors::get).toList();
        long elements = 0;
        for (Tensor t : before) {
            elements += t.numel();
        }
        if (!weights.biases) {
            for (int i = 1; i < before.size(); i += 2) {
                elements += 2 * before.get(i).size(0);
            }
        }
        Tensor first = before.get(0);
        Frame frame = runtime.frame();
        try {
            long[] sizes = {elements};
            Tensor buffer = runtime.emptyStrided(first.dtype(), sizes, Shapes.contiguous(sizes), Category.PARAMETERS);
            long at = 0;
            for (int i = 0; i < before.size(); i++) {
                long[] shape = before.get(i).sizes();
                Tensor part = runtime.reinterpret(buffer, shape, Shapes.contiguous(shape), at);
                tensors.put(weights.names.get(i), runtime.hold(part));
                runtime.release(before.get(i));
                at += part.numel();
            }
        } finally {
            frame.close();
        }
    }
}
