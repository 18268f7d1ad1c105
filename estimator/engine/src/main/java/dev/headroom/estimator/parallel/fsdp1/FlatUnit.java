package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.AutogradHooks;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.GradNode;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parallel.ShardingOptions.Prefetch;
import dev.headroom.model.parallel.ShardingOptions.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A wrapped module with a flat parameter (torch/distributed/fsdp/_runtime_utils.py). */
final class FlatUnit {
    /** What the unit does. */
    enum Stage {
        IDLE,
        FORWARD,
        BACKWARD_PRE,
        BACKWARD_POST
    }

    private final EagerRuntime runtime;
    private final Coordination shared;
    private final FlatParameter parameter;
    private final ShardGradient gradient;
    private final GradientReduction reduction;
    private final Communicator shards;
    private final boolean freedAfterForward;
    /** Whether parameters are freed after forward passes and after those backward passes that reduce nothing. */
    private final boolean frees;

    private final Prefetch prefetch;
    private final List<Tensor> leaving = new ArrayList<>();
    private final List<Tensor> kept = new ArrayList<>();
    private Stage stage = Stage.IDLE;
    private @Nullable GradNode accumulator;
    private AutogradHooks.@Nullable Handle awaited;
    private boolean whole;
    private boolean prefetched;
    private boolean needsPreBackward;
    private boolean ranPreBackward;
    private int place = -1;

    /** @param root whether the unit is the model itself, which stays whole between forward and backward pass */
    FlatUnit(
            Coordination shared,
            FlatParameter parameter,
            ShardGradient gradient,
            GradientReduction reduction,
            Communicator shards,
            Strategy strategy,
            Prefetch prefetch,
            boolean root) {
        this.shared = shared;
        this.runtime = shared.runtime();
        this.parameter = parameter;
        this.gradient = gradient;
        this.reduction = reduction;
        this.shards = shards;
        this.freedAfterForward = !root && resharding(strategy);
        this.frees = resharding(strategy);
        this.prefetch = prefetch;
    }

    private static boolean resharding(Strategy strategy) {
        return strategy == Strategy.FULL_SHARD || strategy == Strategy.HYBRID_SHARD;
    }

    FlatParameter parameter() {
        return parameter;
    }

    ShardGradient gradient() {
        return gradient;
    }

    boolean isInPreBackward() {
        return stage == Stage.BACKWARD_PRE;
    }

    private void unshard(boolean forward) {
        int before = runtime.streams().use(Coordination.PRE_UNSHARD);
        parameter.prepare();
        shared.limit();
        runtime.streams().use(Coordination.UNSHARD);
        if (!parameter.isWhole()) {
            parameter.allocate();
            long bytes = parameter.layout().shard() * parameter.type().bytes();
            shards.run(CollectiveKind.ALL_GATHER, bytes, parameter.type(), Coordination.UNSHARD);
        }
        whole = true;
        if (forward || gradient.hasOriginals()) {
            parameter.view();
        }
        if (forward) {
            parameter.makeViews();
        }
        parameter.releasePrepared(gradient.hasOriginals());
        runtime.streams().use(before);
    }

    private void reshard(boolean free) {
        whole = false;
        if (stage != Stage.FORWARD || frees) { // else the module's own parameters stay views of what was brought
            parameter.releaseBrought();
        }
        if (free) {
            parameter.free();
            shared.freed();
        }
        parameter.freeUndivided();
        if (parameter.isDivided()) {
            gradient.view();
        }
        prefetched = false;
    }

    void preForward() {
        stage = Stage.FORWARD;
        if (!prefetched) {
            unshard(true);
        }
        awaitGradient();
    }

    /** The first forward pass before a backward pass hooks the node that adds to the whole's gradient. */
    private void awaitGradient() {
        if (accumulator == null && runtime.gradMode() && parameter.whole().requiresGrad()) {
            accumulator = runtime.tape().holdAccumulator(parameter.whole());
            awaited = accumulator.addHook((results, gradients) -> {
                if (parameter.whole().grad() != null) {
                    postBackward();
                }
                return results;
            });
        }
    }

    /** @param outputs whether a gradient of the unit's outputs is wanted */
    void postForward(boolean outputs) {
        int at = shared.passed(this);
        place = place > 0 ? place : at;
        reshard(freedAfterForward);
        needsPreBackward = outputs;
        ranPreBackward = false;
        stage = Stage.IDLE;
    }

    void preBackward() {
        if (ranPreBackward) {
            return;
        }
        stage = Stage.BACKWARD_PRE;
        if (needsPreBackward && !prefetched) {
            unshard(false);
        }
        needsPreBackward = false;
        prefetch(Prefetch.PRE);
        gradient.prepare();
        ranPreBackward = true;
    }

    private void prefetch(Prefetch when) {
        if (prefetch != when || place < 1) {
            return;
        }
        FlatUnit target = shared.passed(place - 1);
        if (target.needsPreBackward && !target.prefetched) {
            target.unshard(false);
            target.prefetched = true;
        }
    }

    private boolean freesInBackward() {
        return parameter.isDivided() && (shared.reduces() || frees);
    }

    private void postBackward() {
        stage = Stage.BACKWARD_POST;
        reshard(freesInBackward());
        prefetch(Prefetch.POST);
        if (!shared.reduces()) {
            gradient.useWhole();
            return;
        }
        Tensor before = parameter.isOffloaded() || !parameter.isDivided() ? null : gradient.get();
        Tensor now = reduction.run(parameter, before);
        if (parameter.isOffloaded()) {
            if (!parameter.isDivided()) {
                runtime.streams().hostWaits(); // the copy of what is not divided blocks (_offload_grad)
            }
            runtime.streams().recordUse(now, Coordination.POST_BACKWARD);
            leaving.add(now);
        } else if (now != before) {
            gradient.set(now);
        } else {
            gradient.refresh();
        }
    }

    /** Keeps an input, with its gradient, until the backward pass of the whole model is through. */
    void keep(Tensor input) {
        kept.add(Objects.requireNonNull(runtime.hold(input)));
    }

    /** The gradients of all inputs of a unit without gradients of its own are there. */
    void postBackwardOfFrozen() {
        stage = Stage.BACKWARD_POST;
        reshard(freesInBackward());
        prefetch(Prefetch.POST);
    }

    /** The backward pass of the whole model is through (_post_backward_final_callback). */
    void finishBackward() {
        if (whole) {
            reshard(freesInBackward());
        }
        if (!leaving.isEmpty()) {
            gradient.setOnHost();
        }
        leaving.forEach(runtime::release);
        leaving.clear();
        kept.forEach(runtime::release);
        kept.clear();
        if (accumulator != null) {
            Objects.requireNonNull(awaited).remove();
            runtime.tape().release(accumulator);
            accumulator = null;
        }
        ranPreBackward = false;
        needsPreBackward = false;
        place = -1;
        stage = Stage.IDLE;
        prefetched = false;
    }
}
