package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.parallel.fsdp2.ParameterGroup.Activity;
import dev.headroom.executor.program.ModuleHooks;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What runs around a wrapped module (_fsdp_state.py, FSDPState). */
final class UnitHooks implements ModuleHooks {
    private final Communication shared;
    private final Eager eager;
    private final ParameterGroup group;
    private final Map<String, ShardedParameter> parameters;
    private final @Nullable DType type;
    private final Runnable finish;
    private Activity activity = Activity.IDLE;

    /**
     * Hooks.
     *
     * @param parameters of the group, by name
     * @param type that floating-point arguments are converted to; {@code null} for none
     * @param finish the backward pass is over
     */
    UnitHooks(
            Communication shared,
            ParameterGroup group,
            Map<String, ShardedParameter> parameters,
            @Nullable DType type,
            Runnable finish) {
        this.shared = shared;
        this.eager = shared.eager;
        this.group = group;
        this.parameters = parameters;
        this.type = type;
        this.finish = finish;
    }

    ParameterGroup group() {
        return group;
    }

    Map<String, ShardedParameter> parameters() {
        return parameters;
    }

    @Override
    public Tensor[] before(Tensor[] arguments) {
        Owner owner = eager.owner();
        eager.own(Communication.OWNER);
        try {
            if (activity == Activity.PRE_BACKWARD) { // recomputed
                group.recompute();
                return converted(arguments);
            }
            boolean first = activity != Activity.FORWARD;
            activity = Activity.FORWARD;
            if (first && shared.forwardRoot() == null) {
                shared.setForwardRoot(this);
            }
            Tensor[] given = converted(arguments);
            return group.isEmpty() ? given : group.preForward(given);
        } finally {
            eager.own(owner);
        }
    }

    private Tensor[] converted(Tensor[] arguments) {
        if (type == null) {
            return arguments;
        }
        return Arrays.stream(arguments)
                .map(t -> t.dtype().isFloatingPoint() ? Copies.to(eager, t, type) : t)
                .toArray(Tensor[]::new);
    }

    @Override
    public void after(Tensor[] results) {
        if (activity == Activity.PRE_BACKWARD) {
            return;
        }
        Owner owner = eager.owner();
        eager.own(Communication.OWNER);
        if (!group.isEmpty()) {
            group.postForward();
        }
        if (eager.tape().isEnabled()) {
            for (Tensor t : results) {
                eager.tape().whenComplete(t, this::preBackward);
            }
        }
        activity = Activity.IDLE;
        if (this.equals(shared.forwardRoot())) {
            shared.dropKept();
            shared.setForwardRoot(null);
        }
        eager.own(owner);
    }

    private void preBackward() {
        Owner owner = eager.owner();
        eager.own(Communication.OWNER);
        activity = Activity.PRE_BACKWARD;
        shared.queueFinish(finish);
        if (!group.isEmpty()) {
            group.preBackward();
        }
        eager.own(owner);
    }

    void finishBackward() {
        if (!group.isEmpty()) {
            group.finishBackward();
        }
        activity = Activity.IDLE;
    }
}
