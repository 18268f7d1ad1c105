package dev.headroom.recomputation;

import dev.headroom.checkpoint.CheckpointPlan;
import dev.headroom.shadow.Engine;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;

/** {@code torch.utils.checkpoint.checkpoint}. */
public final class Checkpoint {
    private Checkpoint() {}

    /** Runs a region's body under its checkpoint, as the plan says. */
    public static Tensor[] run(CheckpointPlan plan, Runtime runtime, Engine engine, Body body, Tensor[] inputs) {
        return plan.reentrant()
                ? Reentrant.run(runtime, engine, body, inputs)
                : NonReentrant.run(runtime, body, inputs);
    }
}
