package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.parallel.unit.Casts;
import dev.headroom.estimator.runtime.BackwardAnchors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What happens around a wrapped module (torch/distributed/fsdp/fully_sharded_data_parallel.py, forward). */
final class UnitHooks implements ModuleHooks.Hook {
    private final EagerRuntime runtime;
    private final FlatUnit unit;
    private final @Nullable DType inputs;
    private final Runnable begin;
    private final Runnable beginBackward;
    private final boolean aroundCheckpoint;

    /**
     * Hooks of a unit.
     *
     * @param unit {@code null} for a module without parameters of its own
     * @param inputs type of floating-point arguments of the model itself; {@code null} for their own
     * @param begin before the forward pass
     * @param beginBackward before the backward pass
     */
    UnitHooks(
            EagerRuntime runtime,
            FlatUnit unit,
            @Nullable DType inputs,
            Runnable begin,
            Runnable beginBackward,
            boolean aroundCheckpoint) {
        this.runtime = runtime;
        this.unit = unit;
        this.inputs = inputs;
        this.begin = begin;
        this.beginBackward = beginBackward;
        this.aroundCheckpoint = aroundCheckpoint;
    }

    @Override
    public boolean aroundCheckpoint() {
        return aroundCheckpoint;
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        begin.run();
        Casts.inputs(runtime, call, inputs); // _root_cast_forward_input
        if (unit == null || unit.isInPreBackward()) {
            return;
        }
        unit.preForward();
        if (runtime.gradMode() && !unit.parameter().whole().requiresGrad()) {
            awaitInputs(call.inputs());
        }
    }

    /**
     * A unit without gradients of its own waits for those of its inputs (torch/distributed/fsdp/_runtime_utils.py,
     * _register_post_backward_reshard_only_hook). The hook knows where their gradients are added, which for a leaf, as
     * in a re-entrant checkpoint, keeps the leaf and its gradient (torch/autograd/graph.py, register_multi_grad_hook).
     */
    private void awaitInputs(Tensor[] given) {
        Tensor[] wanted = Arrays.stream(given).filter(Tensor::requiresGrad).toArray(Tensor[]::new);
        int[] missing = {wanted.length};
        for (Tensor t : wanted) {
            if (t.isLeaf()) {
                unit.keep(t);
            }
            runtime.tape().addHook(t, gradient -> {
                if (--missing[0] == 0) {
                    unit.postBackwardOfFrozen();
                }
                return gradient;
            });
        }
    }

    @Override
    public void afterForward(ModuleHooks.Call call) {
        if (unit != null && unit.isInPreBackward()) {
            return;
        }
        if (unit != null) {
            unit.postForward(runtime.gradMode() && Arrays.stream(call.outputs()).anyMatch(Tensor::requiresGrad));
        }
        if (runtime.gradMode()) {
            BackwardAnchors.before(runtime, call.outputs(), this::preBackward);
        }
    }

    private void preBackward() {
        beginBackward.run();
        if (unit != null) {
            unit.preBackward();
        }
    }
}
