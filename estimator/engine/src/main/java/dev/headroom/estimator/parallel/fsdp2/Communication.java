package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.unit.UnitOrder;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the units of a model share: streams, and tensors of collectives that are kept until a later unit no longer needs
 * the overlap (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, FSDPCommContext; _fsdp_state.py,
 * FSDPStateContext).
 */
final class Communication extends UnitOrder<ParameterGroup> {
    static final int GATHER = 1;
    static final int REDUCE = 2;
    static final int ALL_REDUCE = 3;
    static final int COPY_IN = 4;

    /** NCCL's own, for collectives that were not given one. */
    static final int NCCL = 5;

    /** Streams of this many models of a process differ. */
    private static final int STRIDE = 100;

    private final int place;
    private final List<Tensor> reduceInputs = new ArrayList<>();
    private @Nullable Gathered lastOfForward;

    /** @param place among the models of the process that are wrapped on their own, each of which has own streams */
    Communication(EagerRuntime runtime, AutogradEngine engine, int place) {
        super(runtime, engine);
        this.place = place;
    }

    /** The model's own stream. */
    int stream(int which) {
        return which + STRIDE * place;
    }

    /** Keeps what was gathered in a forward pass, and lets go of what the unit before left there. */
    void keepGathered(@Nullable Gathered next) {
        if (lastOfForward != null) {
            runtime().release(lastOfForward.output());
        }
        lastOfForward = next;
    }

    /** Keeps the input of a reduction until the next unit's begins. */
    void keepReduced(Tensor input) {
        reduceInputs.add(input);
    }

    void releaseReduced() {
        reduceInputs.forEach(runtime()::release);
        reduceInputs.clear();
    }

    @Override
    public void finish() {
        super.finish();
        if (isLast()) {
            releaseReduced();
        }
    }
}
