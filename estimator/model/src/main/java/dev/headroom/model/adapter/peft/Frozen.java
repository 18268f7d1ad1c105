package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.layer.Targets;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.TensorMeta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** Which parameters of a model require gradients. */
final class Frozen {
    private Frozen() {}

    /** What {@code --freeze} and {@code --train} say of a model without adapters. */
    static Graph freeze(Graph graph, AdapterOptions options) {
        if (options.freeze().isEmpty() && options.train().isEmpty()) {
            return graph;
        }
        require("`freeze`", options.freeze(), graph.held());
        require("`train`", options.train(), graph.held());
        ModelState held = with(
                graph.held(),
                (name, before) -> before
                        && !holds(name, options.freeze())
                        && (options.train().isEmpty() || holds(name, options.train())));
        return of(graph, held);
    }

    /** A graph of a model that holds the same tensors, whose inputs say as those whether they require gradients. */
    static Graph of(Graph graph, ModelState held) {
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        held.tensors().values().forEach(t -> {
            if (t.value() != null && values.containsKey(t.value())) {
                values.put(t.value(), t.meta());
            }
        });
        return graph.withValues(values).withHeld(held);
    }

    /** The model under adapters: frozen but for what {@code --train} names. */
    static ModelState all(ModelState held, AdapterOptions options) {
        return with(held, (name, before) -> holds(name, options.train()));
    }

    private static boolean holds(String name, List<String> texts) {
        return texts.stream().anyMatch(name::contains);
    }

    private static void require(String option, List<String> texts, ModelState held) {
        texts.forEach(t ->
                Targets.requireSome(option, "parameter with", t, held.tensors().keySet(), n -> n.contains(t)));
    }

    private static ModelState with(ModelState held, BiPredicate<String, Boolean> trained) {
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        held.tensors().forEach((name, t) -> {
            boolean after = t.kind() == Graph.InputKind.PARAMETER
                    && trained.test(name, t.meta().requiresGrad());
            tensors.put(name, t.trained(after));
        });
        return held.withTensors(tensors);
    }
}
