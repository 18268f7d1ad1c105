package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.unit.Casts;
import dev.headroom.estimator.runtime.BackwardAnchors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.model.parallel.ShardingOptions;

/** The hooks of a wrapped module (torch/distributed/fsdp/_fully_shard/_fsdp_state.py, FSDPState). */
final class UnitHooks implements ModuleHooks.Hook {
    private final EagerRuntime runtime;
    private final Communication shared;
    private final ParameterGroup group;
    private final ShardingOptions types;
    private final Runnable finish;
    private final boolean root;
    private final boolean aroundCheckpoint;
    private boolean inBackward;

    /**
     * Hooks of a unit.
     *
     * @param types of floating-point arguments and results
     * @param finish at the end of the model's backward pass
     */
    UnitHooks(
            Communication shared,
            ParameterGroup group,
            ShardingOptions types,
            Runnable finish,
            boolean root,
            boolean aroundCheckpoint) {
        this.shared = shared;
        this.runtime = shared.runtime();
        this.group = group;
        this.types = types;
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
    public boolean prepended() {
        return true;
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        if (inBackward) { // a checkpoint recomputes
            if (!group.isEmpty() && !group.isUnsharded()) {
                group.unshard();
                group.waitForUnshard();
            }
            Casts.inputs(runtime, call, types.paramDtype());
            return;
        }
        Casts.inputs(runtime, call, types.paramDtype());
        if (group.isEmpty()) {
            return;
        }
        group.preForward();
        if (runtime.gradMode()) {
            call.replaceInputs(given ->
                    BackwardAnchors.after(runtime, "RegisterPostBackwardFunction", given, group::postBackward));
        }
    }

    @Override
    public void afterForward(ModuleHooks.Call call) {
        if (inBackward) {
            Casts.outputs(runtime, call, types.outputDtype()); // _cast_output_dtype
            return;
        }
        if (!group.isEmpty()) {
            group.postForward(call.recomputing());
        }
        if (runtime.gradMode()) {
            BackwardAnchors.before(runtime, call.outputs(), this::preBackward);
        }
        Casts.outputs(runtime, call, types.outputDtype()); // _cast_output_dtype
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
