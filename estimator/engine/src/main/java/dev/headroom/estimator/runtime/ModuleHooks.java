package dev.headroom.estimator.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What is called where modules begin and end, in the forward pass and in the backward pass. A program that has modules
 * asks {@link #isEmpty} first, so that runs without hooks pay nothing.
 */
public final class ModuleHooks {
    /** A running call of a module; its tensors are borrowed. */
    public interface Call {
        /** Path of the module, such as {@code transformer.h.0}; "" is the model itself. */
        String path();

        /** Whether a checkpoint runs the call again in the backward pass. */
        boolean recomputing();

        /** Activations that the call was given, in the order in which it first reads them. */
        Tensor[] inputs();

        /** Tensors of the call that are used after it, in the order made; empty before it has ended. */
        Tensor[] outputs();

        /**
         * Gives the callee other tensors than its caller gave, as a hook before the forward pass does that returns
         * arguments. They live until the call ends.
         *
         * @param with from the inputs to what takes their places: the same, or locals of the running frame
         */
        void replaceInputs(UnaryOperator<Tensor[]> with);

        /**
         * Gives the caller other tensors than the callee made, as a hook after the forward pass does that returns a
         * result.
         *
         * @param with from the outputs to what takes their places: the same, or locals of the running frame
         */
        void replaceOutputs(UnaryOperator<Tensor[]> with);

        /** The same, one output after the other. */
        default void replaceEachOutput(UnaryOperator<Tensor> with) {
            replaceOutputs(made -> Arrays.stream(made).map(with).toArray(Tensor[]::new));
        }
    }

    /** The hooks of one module, in PyTorch's order (torch/nn/modules/module.py, _call_impl). */
    public interface Hook {
        /** {@code register_forward_pre_hook}: before the first operator of a call. */
        default void beforeForward(Call call) {}

        /** {@code register_forward_hook}: after the last operator, when the call's own variables are gone. */
        default void afterForward(Call call) {}

        /**
         * Before the backward pass of a call: the gradient of one of its outputs is there, and the node that made the
         * output has not run. Called once a call, as FSDP does (torch/distributed/fsdp/_fully_shard/_fsdp_state.py).
         */
        default void beforeBackward(String path) {}

        /**
         * After the backward pass of a call: the gradients of all its inputs are there. Never called where no input
         * wants a gradient; {@link AutogradEngine#queueCallback} is for those (FSDPState,
         * _root_post_backward_final_callback).
         */
        default void afterBackward(String path) {}

        /** Whether {@link #beforeBackward} and {@link #afterBackward} are to be called, which takes a node a call. */
        default boolean inBackward() {
            return false;
        }

        /**
         * Whether a checkpoint of just this module is inside of the module that has the hook, as with
         * {@code checkpoint_wrapper}; else the hook runs inside the checkpoint, and again where it recomputes.
         */
        default boolean aroundCheckpoint() {
            return false;
        }

        /** Whether it comes before hooks that were added earlier, before the forward pass ({@code prepend=True}). */
        default boolean prepended() {
            return false;
        }
    }

    /** Hooks of a model that is called on its own; paths of others may be the same. */
    public static final class Model {
        private final Map<String, List<Hook>> hooks = new HashMap<>();
    }

    private Map<String, List<Hook>> hooks = new HashMap<>();

    ModuleHooks() {}

    /** Does something in which modules are those of another model. */
    public void inside(Model model, Runnable work) {
        Map<String, List<Hook>> before = hooks;
        hooks = model.hooks;
        try {
            work.run();
        } finally {
            hooks = before;
        }
    }

    /** Adds a hook of the module with this path. */
    public AutogradHooks.Handle add(String path, Hook hook) {
        Map<String, List<Hook>> model = hooks;
        model.computeIfAbsent(path, k -> new ArrayList<>()).add(hook);
        return () -> remove(model, path, hook);
    }

    private static void remove(Map<String, List<Hook>> model, String path, Hook hook) {
        List<Hook> of = model.get(path);
        if (of != null && of.remove(hook) && of.isEmpty()) {
            model.remove(path);
        }
    }

    /** Whether no module has hooks. */
    public boolean isEmpty() {
        return hooks.isEmpty();
    }

    /** The hooks of a module in the order in which they are called before its forward pass. */
    public List<Hook> before(String path) {
        List<Hook> out = new ArrayList<>();
        for (Hook hook : of(path)) {
            out.add(hook.prepended() ? 0 : out.size(), hook);
        }
        return out;
    }

    /** The hooks of a module, in the order in which they were added. */
    public List<Hook> of(String path) {
        return List.copyOf(hooks.getOrDefault(path, List.of()));
    }
}
