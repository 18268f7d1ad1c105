package dev.headroom.estimator.program;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Variables of a program that outlive a pass over a graph: what one pass binds, the next ones read. */
public final class Variables {
    private final EagerRuntime runtime;
    private final Caller caller;
    private final Map<String, Tensor> held = new LinkedHashMap<>();

    public Variables(EagerRuntime runtime) {
        this(runtime, new Caller() {});
    }

    /** @param caller of the model */
    public Variables(EagerRuntime runtime, Caller caller) {
        this.runtime = runtime;
        this.caller = caller;
    }

    /** The loop around a model, as far as a pass changes something there. */
    public interface Caller {
        /** The model has returned, and its program goes on. */
        default void modelReturned() {}

        /**
         * A buffer is another tensor from here on.
         *
         * @param value borrowed
         */
        default void bufferBound(String buffer, Tensor value) {}
    }

    /** What the variables hold, by name; borrowed. */
    public Map<String, Tensor> held() {
        return held;
    }

    /** Gives a name another tensor, or its first one. */
    public void bind(String name, Tensor value) {
        runtime.hold(value);
        if (value.storage().category() == Category.TEMPORARIES) {
            runtime.setCategory(value, Category.OUTPUTS);
        }
        runtime.release(held.put(name, value));
    }

    /** {@code del name}; nothing happens to a name that holds nothing. */
    public void delete(String name) {
        runtime.release(held.remove(name));
    }

    /** All names but attributes of the model go, in the order in which they were first bound. */
    public void deleteAll() {
        List.copyOf(held.keySet()).stream()
                .filter(name -> !VariableNodes.isAttribute(name))
                .forEach(this::delete);
    }

    /** Adds what attributes hold; what a script's own names hold, a pass reads. */
    public void describe(Beginning to) {
        to.unknownIf(!held.keySet().stream().allMatch(VariableNodes::isAttribute));
        to.constant(List.copyOf(held.keySet()));
        to.parts(List.copyOf(held.values()));
    }

    /** Binds a variable or deletes it, as a node says. */
    Tensor[] run(Node node, Map<String, Tensor> values) {
        switch (node.target()) {
            case VariableNodes.BIND -> {
                Tensor value = values.get(node.reads().get(0));
                if (value == null) { // an absent result
                    delete(VariableNodes.name(node));
                } else {
                    bind(VariableNodes.name(node), value);
                }
            }
            case VariableNodes.BUFFER -> {
                Tensor value = values.get(node.reads().get(0));
                if (value != null) {
                    caller.bufferBound(VariableNodes.name(node), value);
                }
            }
            case VariableNodes.RETURN -> caller.modelReturned();
            default -> delete(VariableNodes.name(node));
        }
        return new Tensor[0];
    }
}
