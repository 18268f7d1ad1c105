package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/** Tensors that a model keeps beyond a pass, as its attributes: each until the next pass binds or deletes its name. */
final class Attributes {
    private final Eager eager;
    private final Map<String, Tensor> held = new HashMap<>();
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
        switch (node.target()) {
            case VariableNodes.BIND -> {
                String read = node.reads().get(0);
                eager.release(held.put(
                        VariableNodes.name(node), eager.hold(Objects.requireNonNull(values.get(read), read))));
            }
            case VariableNodes.BUFFER -> {
                String read = node.reads().get(0);
                buffers.accept(VariableNodes.name(node), Objects.requireNonNull(values.get(read), read));
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
