package dev.headroom.estimator.runtime;

import java.util.Set;

/**
 * Results of collectives that nobody has waited for: what the collective reads lives until somebody does
 * (torch/distributed/_functional_collectives.py, AsyncCollectiveTensor). Views do not wait, whatever else reads the memory does.
 */
public final class InFlight {
    /** Nodes that only look at a gradient's sizes. */
    private static final Set<String> VIEWS = Set.of(
            "ViewBackward0",
            "UnsafeViewBackward0",
            "TBackward0",
            "TransposeBackward0",
            "_ToTorchTensorBackward",
            "_FromTorchTensorBackward",
            "RedistributeBackward");

    private InFlight() {}

    /** Keeps what a collective reads until somebody waits for its result. */
    public static void keep(EagerRuntime rt, Tensor result, Tensor read) {
        await(rt, result);
        result.storage().inFlight = rt.hold(read);
    }

    /** Waits for a tensor, if it is a result that nobody has waited for. */
    public static void await(EagerRuntime rt, Tensor t) {
        if (t != null && t.storage().inFlight != null) {
            Tensor read = t.storage().inFlight;
            t.storage().inFlight = null;
            rt.release(read);
        }
    }

    static void await(EagerRuntime rt, GradNode node, Tensor[] gradients) {
        if (!VIEWS.contains(node.name)) {
            for (Tensor g : gradients) {
                await(rt, g);
            }
        }
    }
}
