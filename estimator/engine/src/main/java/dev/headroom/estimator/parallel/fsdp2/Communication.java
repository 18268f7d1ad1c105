package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * What the units of a model share: streams, and tensors of collectives that are kept until a later unit no longer needs
 * the overlap (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, FSDPCommContext; _fsdp_state.py,
 * FSDPStateContext).
 */
final class Communication {
    static final int GATHER = 1;
    static final int REDUCE = 2;
    static final int ALL_REDUCE = 3;
    static final int COPY_IN = 4;

    /** NCCL's own, for collectives that were not given one. */
    static final int NCCL = 5;

    private final EagerRuntime runtime;
    private final AutogradEngine engine;
    private final List<Tensor> reduceInputs = new ArrayList<>();
    private final List<ParameterGroup> postForwardOrder = new ArrayList<>();
    private Gathered lastOfForward;
    private boolean finishQueued;

    /** Whether the pass that runs reduces its gradients ({@code set_requires_gradient_sync}). */
    private boolean reduces = true;

    Communication(EagerRuntime runtime, AutogradEngine engine) {
        this.runtime = runtime;
        this.engine = engine;
    }

    EagerRuntime runtime() {
        return runtime;
    }

    boolean reduces() {
        return reduces;
    }

    void setReduces(boolean value) {
        reduces = value;
    }

    /** Keeps what was gathered in a forward pass, and lets go of what the unit before left there. */
    void keepGathered(Gathered next) {
        if (lastOfForward != null) {
            runtime.release(lastOfForward.output());
        }
        lastOfForward = next;
    }

    /** A unit's forward pass is over. @return its place in the order */
    int passed(ParameterGroup group) {
        postForwardOrder.add(group);
        return postForwardOrder.size() - 1;
    }

    ParameterGroup passed(int place) {
        return postForwardOrder.get(place);
    }

    /** Keeps the input of a reduction until the next unit's begins. */
    void keepReduced(Tensor input) {
        reduceInputs.add(input);
    }

    void releaseReduced() {
        reduceInputs.forEach(runtime::release);
        reduceInputs.clear();
    }

    /** Calls once at the end of the backward pass that runs. */
    void queueFinish(Runnable finish) {
        if (!finishQueued) {
            finishQueued = true;
            engine.queueCallback(finish);
        }
    }

    /** The backward pass is over. */
    void finish() {
        postForwardOrder.clear();
        releaseReduced();
        finishQueued = false;
    }
}
