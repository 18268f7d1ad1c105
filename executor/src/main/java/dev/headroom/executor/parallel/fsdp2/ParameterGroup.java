package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.parallel.Collectives;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parameters of a unit, which are gathered and reduced together (_fsdp_param_group.py). */
final class ParameterGroup {
    /** What the unit is doing (TrainingState). */
    enum Activity {
        IDLE,
        FORWARD,
        PRE_BACKWARD,
        POST_BACKWARD
    }

    /** Where the parameters' values are (ShardedState). */
    private enum Place {
        SHARDED,
        AFTER_FORWARD,
        WHOLE
    }

    private final Communication shared;
    private final Eager eager;
    private final List<ShardedParameter> parameters;
    private final Collectives shards;
    private final @Nullable Collectives afterForward;
    private final @Nullable DType reduceType;
    private final Gathering gathering;
    private final GradientReduction reduction;
    private final Deque<Integer> places = new ArrayDeque<>();
    private Activity activity = Activity.IDLE;
    private Place place = Place.SHARDED;

    /** Asked for and not yet used (_all_gather_result). */
    private boolean asked;

    /** What was asked for; {@code null} where one rank has all. */
    private @Nullable Tensor gathered;

    /** What ranks with the same rows have summed (_all_reduce_state). */
    private @Nullable Tensor summed;

    /**
     * A group.
     *
     * @param shards among whom the parameters are divided
     * @param afterForward among whom they are divided after the forward pass; {@code null}: they stay whole
     * @param replicas who has the same rows; {@code null} for none
     * @param reduceType {@code null} for the gradients' own
     */
    ParameterGroup(
            Communication shared,
            List<ShardedParameter> parameters,
            Collectives shards,
            @Nullable Collectives afterForward,
            @Nullable Collectives replicas,
            @Nullable DType reduceType) {
        this.shared = shared;
        this.eager = shared.eager;
        this.parameters = parameters;
        this.shards = shards;
        this.afterForward = afterForward;
        this.reduceType = reduceType;
        this.gathering = new Gathering(eager, parameters);
        this.reduction = new GradientReduction(shared, shards, replicas);
    }

    List<ShardedParameter> parameters() {
        return parameters;
    }

    /** Whether it has no parameters, and so nothing to do. */
    boolean isEmpty() {
        return parameters.isEmpty();
    }

    private boolean isWhole() {
        return place == Place.WHOLE;
    }

    /** The unit is called again in the backward pass. */
    void recompute() {
        if (!isEmpty() && !isWhole()) {
            gather();
            use();
        }
    }

    private Collectives holders() {
        return place == Place.AFTER_FORWARD && afterForward != null ? afterForward : shards;
    }

    /** Asks for the parameters. */
    private void gather() {
        if (asked || isWhole()) {
            return;
        }
        asked = true;
        if (holders().group().size() > 1) {
            int before = eager.setStream(Communication.COPY_IN);
            try (Scope s = eager.open()) {
                gathered = eager.hold(gathering.allGather(holders()));
            } finally {
                eager.setStream(before);
            }
        }
    }

    /** The parameters that were asked for become whole. */
    private void use() {
        if (!asked) {
            return;
        }
        // A variable holds what the unit before was given until this function returns.
        Tensor before = activity == Activity.FORWARD ? shared.takeKept() : null;
        Tensor all = gathered;
        gathered = null;
        asked = false;
        try {
            if (all == null) {
                gathering.copyOwn();
            } else {
                gathering.copyOut(all, holders().group().size());
            }
            parameters.forEach(ShardedParameter::dropAfterForward);
            place = Place.WHOLE;
            if (all != null && activity == Activity.FORWARD) {
                shared.keep(eager.hold(all)); // until the next unit's is copied
            }
        } finally {
            eager.release(all);
            eager.release(before);
        }
    }

    private void reshard() {
        if (activity == Activity.FORWARD) {
            if (afterForward == null) {
                return;
            }
            int among = afterForward.group().size();
            if (among != shards.group().size()) {
                int rank = afterForward.group().rank();
                parameters.forEach(p -> p.keepAfterForward(rank, among));
                place = Place.AFTER_FORWARD;
                return;
            }
        }
        if (place != Place.SHARDED) {
            parameters.forEach(ShardedParameter::freeWhole);
            place = Place.SHARDED;
        }
    }

    /**
     * The unit is called.
     *
     * @param arguments borrowed
     * @return what it gets in their places, which calls back in the backward pass when all is computed
     */
    Tensor[] preForward(Tensor[] arguments) {
        boolean enters = activity != Activity.FORWARD;
        activity = Activity.FORWARD;
        gather();
        use();
        return enters ? PostBackwardNode.behind(eager, arguments, this::postBackward) : arguments;
    }

    /** The unit returns. */
    void postForward() {
        if (!shared.passes.isRunning()) {
            reshard();
            places.push(shared.passed(this));
        }
        activity = Activity.IDLE;
    }

    /** The backward pass comes to the unit. */
    void preBackward() {
        if (activity == Activity.PRE_BACKWARD) {
            return;
        }
        activity = Activity.PRE_BACKWARD;
        gather();
        use();
        Integer own = places.poll();
        if (own != null && own > 0) {
            shared.passed(own - 1).prefetch();
        }
    }

    private void prefetch() {
        Activity before = activity;
        activity = Activity.PRE_BACKWARD;
        gather();
        activity = before;
    }

    /** The backward pass has left the unit. */
    private void postBackward() {
        eager.own(Communication.OWNER);
        activity = Activity.POST_BACKWARD;
        parameters.forEach(ShardedParameter::accumulate);
        if (!shared.reduces()) {
            reshard();
            parameters.forEach(p -> p.widenGradient(reduceType));
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
        reshard();
        shared.recycle();
        if (!gradients.isEmpty()) {
            dropSummed();
            summed = reduction.reduce(with, gradients, reduceType);
        }
    }

    private void dropSummed() {
        eager.release(summed);
        summed = null;
    }

    /** The backward pass has ended. */
    void finishBackward() {
        if (activity != Activity.POST_BACKWARD) {
            postBackward(); // no gradient went on to what came before
        }
        activity = Activity.IDLE;
        dropSummed();
        dropGathered();
        places.clear();
    }

    private void dropGathered() {
        eager.release(gathered);
        gathered = null;
        asked = false;
    }

    void close() {
        dropSummed();
        dropGathered();
        parameters.forEach(ShardedParameter::close);
    }
}
