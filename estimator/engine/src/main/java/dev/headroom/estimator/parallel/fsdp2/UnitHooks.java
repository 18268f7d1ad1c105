package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.BackwardAnchors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The hooks of a wrapped module (torch/distributed/fsdp/_fully_shard/_fsdp_state.py, FSDPState). */
final class UnitHooks implements ModuleHooks.Hook {
    private final EagerRuntime runtime;
    private final Communication shared;
    private final ParameterGroup group;
    private final @Nullable DType inputs;
    private final Runnable begin;
    private final Runnable finish;
    private final boolean root;
    private final boolean aroundCheckpoint;
    private boolean inBackward;

    /**
     * Hooks of a unit.
     *
     * @param inputs type of floating-point arguments; {@code null} for their own
     * @param begin before the unit's forward pass, if it is the model itself
     * @param finish at the end of the model's backward pass
     */
    UnitHooks(
            Communication shared,
            ParameterGroup group,
            @Nullable DType inputs,
            Runnable begin,
            Runnable finish,
            boolean root,
            boolean aroundCheckpoint) {
        this.shared = shared;
        this.runtime = shared.runtime();
        this.group = group;
        this.inputs = inputs;
        this.begin = begin;
        this.finish = finish;
        this.root = root;
        this.aroundCheckpoint = aroundCheckpoint;
    }

    ParameterGroup group() {
        return group;
    }

    @Override
    public boolean aroundCheckpoint() {
        return aroundCheckpoint;
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        if (inBackward) { // a checkpoint recomputes
            if (!group.isEmpty() && !group.isUnsharded()) {
                group.unshard();
                group.waitForUnshard();
            }
            castInputs(call);
            return;
        }
        if (root) {
            begin.run();
        }
        castInputs(call);
        if (group.isEmpty()) {
            return;
        }
        group.preForward();
        if (runtime.gradMode()) {
            call.replaceInputs(given ->
                    BackwardAnchors.after(runtime, "RegisterPostBackwardFunction", given, group::postBackward));
        }
    }

    private void castInputs(ModuleHooks.Call call) {
        if (inputs != null) {
            call.replaceInputs(given -> Arrays.stream(given)
                    .map(t -> t.dtype().isFloatingPoint() ? Copies.to(runtime, t, inputs) : t)
                    .toArray(Tensor[]::new));
        }
    }

    @Override
    public void afterForward(ModuleHooks.Call call) {
        if (inBackward) {
            return;
        }
        if (!group.isEmpty()) {
            group.postForward(call.recomputing());
        }
        if (runtime.gradMode()) {
            BackwardAnchors.before(runtime, call.outputs(), this::preBackward);
        }
        if (root) {
            shared.keepGathered(null);
        }
    }

    private void preBackward() {
        inBackward = true;
        shared.queueFinish(finish);
        if (!group.isEmpty()) {
            group.preBackward();
        }
    }

    void finishBackward() {
        if (!group.isEmpty()) {
            group.finishBackward();
        }
        inBackward = false;
    }
}
