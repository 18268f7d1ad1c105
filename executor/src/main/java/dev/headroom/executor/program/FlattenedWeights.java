package dev.headroom.executor.program;

import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.kernel.RecurrentLayers.Cell;
import dev.headroom.executor.op.recurrent.RecurrentOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The weights of recurrent modules, which share one buffer as soon as they are on the device
 * (torch/nn/modules/rnn.py, RNNBase.flatten_parameters). Those in bfloat16 stay apart: modules do not take the type for
 * one of cuDNN's (torch/backends/cudnn/__init__.py, CUDNN_TENSOR_DTYPES), and it computes in it all the same.
 */
final class FlattenedWeights {
    /** @param weights storage names, in the module's order */
    private record Module(Cell cell, boolean hasBiases, long layers, boolean bidirectional, List<String> weights) {}

    private final Map<String, Module> modules = new HashMap<>();

    FlattenedWeights(Graph graph) {
        Map<String, String> storages = new HashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            if (held.value() != null) {
                storages.put(held.value(), held.storage());
            }
        });
        for (Node node : graph.nodes()) {
            Cell cell = RecurrentOperators.LAYERS.get(node.operator());
            if (cell != null) {
                add(cell, node, storages);
            }
        }
    }

    private void add(Cell cell, Node node, Map<String, String> storages) {
        Map<String, Argument> arguments = new HashMap<>();
        node.arguments().forEach(a -> arguments.put(a.name(), a.value()));
        if (!(arguments.get("params") instanceof Argument.Values params)) {
            return;
        }
        List<@Nullable String> weights = new ArrayList<>();
        for (String value : params.names()) {
            weights.add(storages.get(value));
        }
        // Weights that are computed, or shared with each other, stay where they are.
        if (!weights.contains(null) && new HashSet<>(weights).size() == weights.size()) {
            boolean hasBiases = flag(arguments.get("has_biases"), true);
            boolean bidirectional = flag(arguments.get("bidirectional"), false);
            long layers = arguments.get("num_layers") instanceof Argument.Int i
                    ? i.value().evaluate(Map.of())
                    : 1;
            modules.put(ModelState.owner(weights.get(0)), new Module(cell, hasBiases, layers, bidirectional, weights));
        }
    }

    private static boolean flag(@Nullable Argument argument, boolean otherwise) {
        return argument instanceof Argument.Bool b ? b.value() : otherwise;
    }

    /**
     * Called when a module's own tensors are on the device.
     *
     * @param tensors by storage name; those of the module are replaced
     */
    void moved(Eager e, String path, Map<String, Tensor> tensors) {
        Module module = modules.get(path);
        if (module == null || !module.weights().stream().allMatch(tensors::containsKey)) {
            return;
        }
        List<String> weights = module.weights();
        DType type = tensor(tensors, weights.get(0)).dtype();
        RecurrentLayers layers = layers(module, tensors);
        boolean fits = type != DType.BFLOAT16
                && weights.size() == layers.parts() * layers.parameters(module.hasBiases())
                && weights.stream().allMatch(w -> tensor(tensors, w).dtype() == type);
        if (!fits) {
            return;
        }
        try (Scope s = e.open()) {
            Tensor buffer = e.empty(type, layers.weights());
            for (int i = 0; i < weights.size(); i++) {
                Tensor old = tensor(tensors, weights.get(i));
                long at = layers.parameter(i, module.hasBiases());
                tensors.put(weights.get(i), e.hold(e.alias(buffer, old.sizes(), Layout.contiguous(old.sizes()), at)));
                e.release(old);
            }
        }
    }

    private static Tensor tensor(Map<String, Tensor> tensors, String storage) {
        return Objects.requireNonNull(tensors.get(storage), storage);
    }

    private static RecurrentLayers layers(Module module, Map<String, Tensor> tensors) {
        Tensor first = tensor(tensors, module.weights().get(0));
        long hidden = first.size(0) / module.cell().gates();
        return new RecurrentLayers(
                module.cell(),
                first.size(1),
                hidden,
                tensor(tensors, module.weights().get(1)).size(1),
                Math.toIntExact(module.layers()),
                module.bidirectional());
    }
}
