package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code torch.utils.checkpoint.checkpoint}. */
public final class Checkpoint {
    private Checkpoint() {}

    /**
     * Runs a region's body under its checkpoint, as the plan says.
     *
     * @param held what the body reads of its module: the recomputation needs it again
     */
    public static Tensor[] run(
            CheckpointPlan plan,
            Region region,
            EagerRuntime runtime,
            @Nullable AutogradEngine engine,
            Body body,
            Tensor[] inputs,
            Tensor[] held) {
        return plan.reentrant()
                ? Reentrant.run(
                        runtime,
                        Objects.requireNonNull(engine, "a backward pass"),
                        body,
                        inputs,
                        region.positional(),
                        plan.offload())
                : NonReentrant.run(runtime, engine, body, inputs, held, plan.offload());
    }
}
