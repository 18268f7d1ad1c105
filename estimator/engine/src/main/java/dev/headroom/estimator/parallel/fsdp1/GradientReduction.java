package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Streams;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reduces the gradient of a flat parameter (torch/distributed/fsdp/_runtime_utils.py, _post_backward_hook). */
final class GradientReduction {
    private final EagerRuntime runtime;
    private final Communicator shards;
    private final @Nullable Communicator replicas;
    private final DType reduceType;

    /**
     * A reduction.
     *
     * @param replicas who have the same shards; {@code null} for none
     * @param reduceType {@code null} for the parameters' own
     */
    GradientReduction(EagerRuntime runtime, Communicator shards, @Nullable Communicator replicas, DType reduceType) {
        this.runtime = runtime;
        this.shards = shards;
        this.replicas = replicas;
        this.reduceType = reduceType;
    }

    /**
     * Reduces what the whole's {@code .grad} is, which is gone then.
     *
     * @param before the gradient of earlier passes; {@code null} for none
     * @return the gradient that the shard has now, with a reference for the caller where it is not the one before
     */
    Tensor run(FlatParameter parameter, @Nullable Tensor before) {
        Streams streams = runtime.streams();
        int outside = streams.use(Coordination.POST_BACKWARD);
        try (Frame frame = runtime.frame()) {
            Tensor computed =
                    runtime.hold(Objects.requireNonNull(parameter.whole().grad()));
            Tensor gradient = computed;
            if (computed.dtype() != reduceType) {
                gradient = runtime.emptyLike(computed, reduceType);
            }
            runtime.setGrad(parameter.whole(), null);
            Tensor out = parameter.isDivided() ? scatter(parameter, gradient, before) : sum(parameter, gradient);
            runtime.freeUnless(gradient, computed);
            streams.use(Coordination.POST_BACKWARD);
            streams.recordUse(computed, Coordination.POST_BACKWARD);
            runtime.release(computed);
            return out;
        } finally {
            streams.use(outside);
        }
    }

    /** _reduce_grad. */
    private Tensor scatter(FlatParameter parameter, Tensor gradient, @Nullable Tensor before) {
        FlatLayout layout = parameter.layout();
        try (Frame frame = runtime.frame()) {
            long padded = layout.shard() * layout.ranks();
            if (padded > layout.numel()) {
                runtime.empty(gradient.dtype(), padded);
            }
            Tensor out = runtime.empty(gradient.dtype(), layout.shard());
            shards.run(CollectiveKind.REDUCE_SCATTER, out.nbytes(), out.dtype(), Coordination.POST_BACKWARD);
            if (replicas != null) {
                runtime.streams().use(Coordination.ALL_REDUCE);
                runtime.streams().recordUse(out, Coordination.ALL_REDUCE);
                replicas.run(CollectiveKind.ALL_REDUCE, out.nbytes(), out.dtype(), Coordination.ALL_REDUCE);
            }
            out = inOwnType(out, parameter.shard().dtype());
            return before != null ? before : kept(out);
        }
    }

    /** _reduce_grad_no_shard. */
    private Tensor sum(FlatParameter parameter, Tensor gradient) {
        shards.run(CollectiveKind.ALL_REDUCE, gradient.nbytes(), gradient.dtype(), Coordination.POST_BACKWARD);
        try (Frame frame = runtime.frame()) {
            return kept(inOwnType(gradient, parameter.shard().dtype()));
        }
    }

    private Tensor kept(Tensor gradient) {
        runtime.setCategory(gradient, Category.GRADIENTS);
        return runtime.hold(gradient);
    }

    /** _cast_grad_to_param_dtype. */
    private Tensor inOwnType(Tensor gradient, DType own) {
        if (gradient.dtype() == own) {
            return gradient;
        }
        Tensor out = runtime.emptyLike(gradient, own);
        runtime.streams().recordUse(gradient, runtime.streams().current());
        runtime.free(gradient);
        return out;
    }
}
