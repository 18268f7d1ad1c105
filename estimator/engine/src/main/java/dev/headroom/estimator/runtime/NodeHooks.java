package dev.headroom.estimator.runtime;

import java.util.ArrayList;
import java.util.List;

/** The hooks of one node, or of one leaf for whichever node accumulates its gradients. */
final class NodeHooks {
    private record OfInput(int input, AutogradHooks.OfTensor hook) {}

    private final List<OfInput> tensors = new ArrayList<>(1);
    private final List<AutogradHooks.BeforeNode> before = new ArrayList<>(0);
    private final List<AutogradHooks.AfterNode> after = new ArrayList<>(1);
    private final List<AutogradHooks.AfterAccumulate> accumulated = new ArrayList<>(1);
    private boolean keepsGradients;

    AutogradHooks.Handle addTensorHook(int input, AutogradHooks.OfTensor hook) {
        return add(tensors, new OfInput(input, hook));
    }

    AutogradHooks.Handle addBefore(AutogradHooks.BeforeNode hook) {
        return add(before, hook);
    }

    AutogradHooks.Handle addAfter(AutogradHooks.AfterNode hook) {
        return add(after, hook);
    }

    AutogradHooks.Handle addAccumulated(AutogradHooks.AfterAccumulate hook) {
        return add(accumulated, hook);
    }

    /** The gradient that a node was given stays until the hooks are through, as with hooks of the node itself. */
    AutogradHooks.Handle addAfterAccumulator(AutogradHooks.AfterAccumulate hook) {
        keepsGradients = true;
        return addAccumulated(hook);
    }

    /** Whether a gradient outlives its accumulation. */
    boolean keepGradients() {
        return keepsGradients;
    }

    /** Whether a hook sees what the node was given after it ran. */
    boolean areAfter() {
        return !after.isEmpty();
    }

    private static <T> AutogradHooks.Handle add(List<T> hooks, T hook) {
        hooks.add(hook);
        return () -> hooks.remove(hook);
    }

    /** Calls the hooks of tensors and replaces gradients, whose references the array holds. */
    void callTensorHooks(EagerRuntime runtime, Tensor[] gradients) {
        for (OfInput h : List.copyOf(tensors)) {
            Tensor before = gradients[h.input()];
            if (before != null) {
                try (Frame locals = runtime.frame()) {
                    replace(runtime, gradients, h.input(), h.hook().replace(before));
                }
            }
        }
    }

    private static void replace(EagerRuntime runtime, Tensor[] gradients, int i, Tensor with) {
        Tensor before = gradients[i];
        if (with != null && with != before) {
            gradients[i] = runtime.hold(with);
            runtime.release(before);
        }
    }

    /** Calls the hooks before the node and replaces gradients, whose references the array holds. */
    void callBefore(EagerRuntime runtime, Tensor[] gradients) {
        for (AutogradHooks.BeforeNode h : List.copyOf(before)) {
            try (Frame locals = runtime.frame()) {
                exchange(runtime, gradients, h.before(gradients));
            }
        }
    }

    /** Calls the hooks after the node and replaces results, whose references the array holds. */
    void callAfter(EagerRuntime runtime, Tensor[] results, Tensor[] gradients) {
        for (AutogradHooks.AfterNode h : List.copyOf(after)) {
            try (Frame locals = runtime.frame()) {
                exchange(runtime, results, h.after(results, gradients));
            }
        }
    }

    private static void exchange(EagerRuntime runtime, Tensor[] held, Tensor[] with) {
        if (with == held) {
            return;
        }
        for (int i = 0; i < held.length; i++) {
            Tensor before = held[i];
            if (with[i] != before) {
                held[i] = runtime.hold(with[i]);
                runtime.release(before);
            }
        }
    }

    void callAccumulated(EagerRuntime runtime, Tensor leaf) {
        for (AutogradHooks.AfterAccumulate h : List.copyOf(accumulated)) {
            try (Frame locals = runtime.frame()) {
                h.accumulated(leaf);
            }
        }
    }
}
