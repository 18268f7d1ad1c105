package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a unit, which are gathered and reduced together
 * (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, FSDPParamGroup).
 */
final class ParameterGroup {
    /** What the unit does. */
    enum Stage {
        FORWARD,
        PRE_BACKWARD,
        POST_BACKWARD,
        IDLE
    }

    private final EagerRuntime runtime;
    private final Communication shared;
    private final List<ShardedParameter> parameters;
    private final Communicator shards;
    private final @Nullable Communicator postForward;
    private final AllGather allGather;
    private final Reduction reduction;
    private final Deque<Integer> places = new ArrayDeque<>();
    private ShardedParameter.State state = ShardedParameter.State.SHARDED;
    private Stage stage = Stage.IDLE;
    private @Nullable Gathered gathered;
    private @Nullable Tensor allReduced;

    /**
     * A unit's parameters.
     *
     * @param shards ranks among which they are divided
     * @param postForward ranks among which they are divided between forward and backward pass; {@code null} when they
     *     stay gathered
     * @param replicas ranks that have the same shards; {@code null} for none
     */
    ParameterGroup(
            Communication shared,
            List<ShardedParameter> parameters,
            Communicator shards,
            @Nullable Communicator postForward,
            @Nullable Communicator replicas) {
        this.shared = shared;
        this.runtime = shared.runtime();
        this.parameters = List.copyOf(parameters);
        this.shards = shards;
        this.postForward = postForward;
        this.allGather = new AllGather(shared);
        this.reduction = new Reduction(shared, shards, replicas);
    }

    /** Whether all parameters of the unit are those of units inside: PyTorch makes no group then. */
    boolean isEmpty() {
        return parameters.isEmpty();
    }

    List<ShardedParameter> parameters() {
        return parameters;
    }

    /** Begins to gather, unless that has happened. */
    void unshard() {
        if (gathered == null && state != ShardedParameter.State.UNSHARDED) {
            boolean smaller = state == ShardedParameter.State.SHARDED_POST_FORWARD;
            gathered = allGather.start(parameters, smaller ? Objects.requireNonNull(postForward) : shards);
        }
    }

    /** Ends to gather (wait_for_unshard). */
    void waitForUnshard() {
        if (gathered == null) {
            return;
        }
        allGather.copyOut(gathered, parameters);
        parameters.forEach(ShardedParameter::toUnsharded);
        state = ShardedParameter.State.UNSHARDED;
        boolean forward = stage == Stage.FORWARD;
        if (forward && gathered.output() != null) {
            shared.keepGathered(gathered);
        } else {
            if (forward) {
                shared.keepGathered(null);
            }
            runtime.release(gathered.output());
        }
        gathered = null;
    }

    boolean isUnsharded() {
        return state == ShardedParameter.State.UNSHARDED;
    }

    void preForward() {
        stage = Stage.FORWARD;
        unshard();
        waitForUnshard();
    }

    /** @param recomputing a checkpoint around the unit runs it again: the backward pass frees */
    void postForward(boolean recomputing) {
        if (!recomputing) {
            if (postForward == shards) {
                toSharded();
            } else if (postForward != null) {
                parameters.forEach(p -> p.toShardedPostForward(postForward.size()));
                state = ShardedParameter.State.SHARDED_POST_FORWARD;
            }
            places.push(shared.passed(this));
        }
        stage = Stage.IDLE;
    }

    /** {@code FSDPModule.unshard(async_op=True)}: the schedule of a pipeline gathers ahead, on the current stream. */
    void unshardAhead() {
        if (gathered == null && state != ShardedParameter.State.UNSHARDED) {
            boolean smaller = state == ShardedParameter.State.SHARDED_POST_FORWARD;
            gathered = allGather.startHere(parameters, smaller ? Objects.requireNonNull(postForward) : shards);
        }
    }

    /** {@code FSDPModule.reshard()}. */
    void reshard() {
        toSharded();
    }

    private void toSharded() {
        if (state != ShardedParameter.State.SHARDED) {
            parameters.forEach(ShardedParameter::toSharded);
            state = ShardedParameter.State.SHARDED;
        }
    }

    /** A gradient of an output is there: gathers again, and begins with the unit that ran before. */
    void preBackward() {
        if (stage == Stage.PRE_BACKWARD) {
            return;
        }
        stage = Stage.PRE_BACKWARD;
        unshard();
        waitForUnshard();
        if (!places.isEmpty()) {
            int place = places.pop();
            if (place > 0) {
                shared.passed(place - 1).unshard();
            }
        }
    }

    /** All gradients of the unit are there. */
    void postBackward() {
        stage = Stage.POST_BACKWARD;
        parameters.forEach(ShardedParameter::accumulate);
        if (!shared.reduces()) {
            if (shared.reshards()) {
                toSharded();
            }
            parameters.forEach(ShardedParameter::keepAccumulated);
            return;
        }
        List<ShardedParameter> with = new ArrayList<>();
        List<Tensor> gradients = new ArrayList<>();
        for (ShardedParameter p : parameters) {
            Tensor gradient = p.takeGradient();
            if (gradient != null) {
                with.add(p);
                gradients.add(gradient);
            }
        }
        if (shared.reshards()) {
            toSharded();
        }
        shared.releaseReduced();
        if (with.isEmpty()) {
            return;
        }
        releaseAllReduced();
        Reduction.Kept kept = reduction.run(with, gradients);
        shared.keepReduced(kept.input());
        allReduced = kept.allReduced();
    }

    private void releaseAllReduced() {
        runtime.release(allReduced);
        allReduced = null;
    }

    /** The backward pass of the whole model is through. */
    void finishBackward() {
        if (stage != Stage.POST_BACKWARD) {
            postBackward();
        }
        stage = Stage.IDLE;
        if (!shared.isLast()) {
            return;
        }
        releaseAllReduced();
        if (gathered != null) {
            runtime.release(gathered.output());
            gathered = null;
        }
        places.clear();
    }
}
