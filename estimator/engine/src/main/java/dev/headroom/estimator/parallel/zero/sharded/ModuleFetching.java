package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.runtime.BackwardAnchors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/**
 * Has a module's parameters fetched before it runs and released afterwards, forward and backward: results and arguments
 * go through nodes that tell when their gradients come by
 * (deepspeed/runtime/zero/parameter_offload.py, _register_deepspeed_module).
 */
final class ModuleFetching implements ModuleHooks.Hook {
    private final EagerRuntime runtime;
    private final ParameterCoordinator coordinator;
    private final Gatherer gatherer;
    private final ShardedModel model;
    private final String module;
    private final List<ShardedParameter> own;

    /** Arguments whose gradients are still to come (ds_grads_remaining). */
    private int remaining;

    ModuleFetching(
            EagerRuntime runtime,
            ParameterCoordinator coordinator,
            Gatherer gatherer,
            ShardedModel model,
            String module) {
        this.runtime = runtime;
        this.coordinator = coordinator;
        this.gatherer = gatherer;
        this.model = model;
        this.module = module;
        this.own = model.of(module);
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        coordinator.fetch(module, own);
        if (!call.recomputing()) {
            borrow();
        }
        remaining = 0;
        call.replaceInputs(inputs -> {
            Tensor[] out = inputs.clone();
            for (int i = 0; i < out.length; i++) {
                out[i] = argument(inputs[i]);
            }
            return out;
        });
    }

    /** Parameters of others are fetched when the module first reads them (ZeROOrderedDict.__getitem__). */
    private void borrow() {
        for (ShardedParameter p : model.borrowed(module)) {
            if (p.status() == ShardedParameter.Status.SHARDED) {
                model.adopt(module, p);
                gatherer.fetch(List.of(p));
            }
        }
    }

    /** PostBackwardFunctionModule. */
    private Tensor argument(Tensor t) {
        Tensor out = BackwardAnchors.through(runtime, "PostBackwardFunctionModule", t, () -> {
            remaining--;
            if (remaining == 0) {
                coordinator.release(module, own);
            }
        });
        remaining += out == t ? 0 : 1;
        return out;
    }

    /** PreBackwardFunctionForModule. */
    @Override
    public void afterForward(ModuleHooks.Call call) {
        coordinator.release(module, own);
        call.replaceEachOutput(t -> BackwardAnchors.through(
                runtime, "PreBackwardFunctionForModule", t, () -> coordinator.fetch(module, own)));
    }
}
