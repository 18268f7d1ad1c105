package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Tensors that a model keeps beyond a pass, as its attributes: each until the next pass binds or deletes its name. */
final class Attributes {
    private final Eager eager;
    private final Map<String, @Nullable Tensor> held = new HashMap<>();
    private Runnable returned = () -> {};
    private BiConsumer<String, Tensor> buffers = (name, value) -> {};

    Attributes(Eager eager) {
        this.eager = eager;
    }

    /** Whether a node is about them, or about the model's return. */
    static boolean changeBy(Node node) {
        return VariableNodes.isOne(node) && !node.target().equals(VariableNodes.USE);
    }

    void whenModelReturns(Runnable then) {
        returned = then;
    }

    void whenBufferIsBound(BiConsumer<String, Tensor> then) {
        buffers = then;
    }

    /**
     * Does what a node says.
     *
     * @return whether it was one for this
     */
    boolean handle(Node node, Map<String, Tensor> values) {
        if (!changeBy(node)) {
            return false;
        }
        Tensor value = node.reads().isEmpty() ? null : values.get(node.reads().get(0)); // absent ones are null
        switch (node.target()) {
            case VariableNodes.BIND -> eager.release(held.put(VariableNodes.name(node), eager.hold(value)));
            case VariableNodes.BUFFER -> {
                if (value != null) {
                    buffers.accept(VariableNodes.name(node), value);
                }
            }
            case VariableNodes.RETURN -> returned.run();
            default -> eager.release(held.remove(VariableNodes.name(node)));
        }
        return true;
    }

    void release() {
        held.values().forEach(eager::release);
        held.clear();
    }
}
