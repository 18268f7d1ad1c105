package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings the gradients of a backward pass to the ranks that step them (deepspeed/runtime/zero/stage_1_and_2.py): stage
 * 2 as they come, in buckets; stage 1 after the last pass of a step.
 */
final class GradientReducer {
    /** The stream on which gradients are reduced beside the backward pass. */
    static final int REDUCTION_STREAM = 1;

    private final EagerRuntime runtime;
    private final ZeroSettings settings;
    private final FlatGroups groups;
    private final List<Tensor> parameters;
    private final BucketReduction reduction;
    private final GradientBucket bucket;
    private final KeptGradients kept;
    private final List<Tensor> clearedLater = new ArrayList<>();
    private boolean ready;
    private boolean lastPass;

    GradientReducer(
            EagerRuntime runtime,
            Collectives collectives,
            ZeroSettings settings,
            FlatGroups groups,
            List<Tensor> parameters,
            KeptGradients kept) {
        this.runtime = runtime;
        this.settings = settings;
        this.groups = groups;
        this.parameters = parameters;
        this.reduction = new BucketReduction(runtime, collectives, groups, settings);
        this.bucket = new GradientBucket(runtime, settings.reduction().bucketElements());
        this.kept = kept;
        if (isPartitioned() || settings.overlaps() || isContiguous()) {
            parameters.forEach(p -> runtime.tape().addPostAccumulateHook(p, this::arrived));
        }
    }

    /** Offloading takes contiguous gradients. */
    private boolean isContiguous() {
        return settings.reduction().contiguous() || settings.offload().optimizer();
    }

    /** Whether gradients of others are let go as soon as they are reduced. */
    private boolean isPartitioned() {
        return settings.stage() > 1;
    }

    /** A backward pass begins. */
    void begin(boolean lastOfStep) {
        lastPass = lastOfStep;
    }

    /** process_gradients. */
    private void arrived(Tensor parameter) {
        setUp();
        if (isPartitioned() || settings.overlaps() && lastPass) {
            add(parameter);
        }
    }

    /** setup_buckets. */
    private void setUp() {
        if (!ready) {
            ready = true;
            kept.beginPass();
            if (isContiguous()) {
                bucket.makeBuffers(groups.type(), settings.overlaps() ? 2 : 1);
            }
        }
    }

    /** reduce_independent_p_g_buckets_and_remove_grads. */
    private void add(Tensor parameter) {
        if (!bucket.hasRoomFor(parameter)) {
            reduce();
            if (isContiguous() && settings.overlaps()) {
                bucket.turn();
            }
        }
        bucket.add(parameter);
    }

    /** reduce_ipg_grads. */
    private void reduce() {
        int stream = settings.overlaps() ? REDUCTION_STREAM : runtime.streams().current();
        int before = runtime.streams().use(stream);
        if (isContiguous()) {
            try (Frame frame = runtime.frame()) {
                reduction.contiguous(bucket.filled(), bucket.parameters());
            }
        } else {
            if (!bucket.gradients().isEmpty()) {
                clearPrevious(); // the host waits for all that was reduced before
            }
            reduction.scattered(bucket.gradients());
        }
        for (Tensor p : bucket.parameters()) {
            boolean own = groups.own(p) != null;
            if (isPartitioned() && !own) {
                if (settings.overlaps() && !isContiguous()) {
                    clearedLater.add(p);
                } else {
                    runtime.setGrad(p, null);
                }
            } else if (own && isContiguous()) {
                kept.keep(p, lastPass);
            }
        }
        bucket.clear();
        runtime.streams().use(before);
    }

    private void clearPrevious() {
        clearedLater.forEach(p -> runtime.setGrad(p, null));
        clearedLater.clear();
    }

    /** The backward pass is through: reduce_gradients, independent_gradient_partition_epilogue. */
    void finish() {
        if (!isPartitioned() && !lastPass) {
            return;
        }
        if (!isPartitioned() && !settings.overlaps()) {
            parameters.stream().filter(p -> p.grad() != null).forEach(this::add);
        }
        if (!isContiguous() || ready) {
            reduce();
        }
        if (settings.overlaps()) {
            clearPrevious();
        }
        kept.sum(lastPass);
        bucket.releaseBuffers();
        kept.endPass();
        ready = false;
        parameters.forEach(p -> runtime.setGrad(p, null));
    }
}
