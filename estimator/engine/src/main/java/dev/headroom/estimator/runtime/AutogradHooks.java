package dev.headroom.estimator.runtime;

/**
 * What a backward pass calls on its way. For each node, in the order of torch/csrc/autograd/engine.cpp, call_function:
 *
 * <ol>
 *   <li>{@link OfTensor} of the results whose gradients the node takes, and of the leaf of an AccumulateGrad node;
 *   <li>{@link BeforeNode};
 *   <li>the node itself; an AccumulateGrad node calls {@link AfterAccumulate} once {@code .grad} is written
 *       (torch/csrc/autograd/functions/accumulate_grad.cpp);
 *   <li>{@link AfterNode}, when the results have the shapes and types that they must have; then the gradients that the
 *       node was given are let go.
 * </ol>
 *
 * <p>Hooks of one kind are called in the order in which they were registered. What {@link AutogradEngine#queueCallback}
 * took is called when all nodes are through. Gradients are borrowed, an undefined one is {@code null}, and what a hook
 * returns is a tensor of its own or a local variable of the running frame.
 */
public final class AutogradHooks {
    private AutogradHooks() {}

    /** {@code Tensor.register_hook}: sees the whole gradient of a tensor before the node that made the tensor runs. */
    @FunctionalInterface
    public interface OfTensor {
        /** @return what goes on in its place; the gradient itself or {@code null} where it stays as it is */
        Tensor replace(Tensor gradient);
    }

    /** {@code Node.register_prehook}. */
    @FunctionalInterface
    public interface BeforeNode {
        /** @return what the node is given, one entry each; the array itself where nothing changes */
        Tensor[] before(Tensor[] gradients);
    }

    /** {@code Node.register_hook}. DistributedDataParallel puts one on the AccumulateGrad node of each parameter. */
    @FunctionalInterface
    public interface AfterNode {
        /**
         * @param results what the node made
         * @param gradients what it was given
         * @return what goes on, one entry each; the array itself where nothing changes
         */
        Tensor[] after(Tensor[] results, Tensor[] gradients);
    }

    /** {@code Tensor.register_post_accumulate_grad_hook} of a leaf. */
    @FunctionalInterface
    public interface AfterAccumulate {
        /** @param leaf its {@code .grad} has the new gradient */
        void accumulated(Tensor leaf);
    }

    /** Takes a hook away again: {@code RemovableHandle}. */
    @FunctionalInterface
    public interface Handle {
        void remove();
    }
}
