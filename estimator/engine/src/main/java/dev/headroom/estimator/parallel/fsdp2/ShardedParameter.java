package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.layout.ShardLayout;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of which each rank holds some rows (torch/distributed/fsdp/_fully_shard/_fsdp_param.py, FSDPParam). The
 * whole one is a tensor of its own, whose memory comes and goes.
 */
final class ShardedParameter {
    /** Where a parameter's data is. */
    enum State {
        SHARDED,
        /** Divided among fewer ranks until the backward pass. */
        SHARDED_POST_FORWARD,
        UNSHARDED
    }

    private final EagerRuntime runtime;
    private final String name;
    private final ShardLayout layout;
    private final Tensor sharded;
    private final Tensor unsharded;
    private final Precision precision;
    private final boolean offloaded;
    private @Nullable Tensor postForward;
    private @Nullable Tensor accumulated;
    private State state = State.SHARDED;

    /**
     * A parameter that was divided.
     *
     * @param sharded the rows of this rank, over padded memory
     * @param sizes of the whole parameter
     * @param offloaded the shard is in host memory
     */
    ShardedParameter(
            EagerRuntime runtime,
            String name,
            ShardLayout layout,
            Tensor sharded,
            long[] sizes,
            Precision precision,
            boolean offloaded) {
        this.runtime = runtime;
        this.name = name;
        this.layout = layout;
        this.sharded = sharded;
        this.precision = precision.of(sharded.dtype());
        this.offloaded = offloaded;
        try (Frame frame = runtime.frame()) {
            unsharded = runtime.hold(
                    runtime.unbacked(gatheredType(), sizes, Shapes.contiguous(sizes), Category.PARAMETERS));
            runtime.requireGrad(unsharded, sharded.requiresGrad());
        }
    }

    String name() {
        return name;
    }

    ShardLayout layout() {
        return layout;
    }

    Tensor sharded() {
        return sharded;
    }

    Tensor unsharded() {
        return unsharded;
    }

    boolean isOffloaded() {
        return offloaded;
    }

    State state() {
        return state;
    }

    Precision precision() {
        return precision;
    }

    /** The type in which it is gathered. */
    DType gatheredType() {
        return precision.parameters() == null ? sharded.dtype() : precision.parameters();
    }

    /** Elements that this rank brings to a gathering. */
    long gatheredNumel() {
        return state == State.SHARDED_POST_FORWARD
                ? Objects.requireNonNull(postForward).numel()
                : layout.paddedNumel();
    }

    /** Whether its shard is converted together with others (use_foreach_copy). */
    boolean isCastTogether() {
        return precision.parameters() != null && !offloaded;
    }

    /**
     * What a gathering copies from where shards are not converted together: locals of the running frame, or nothing
     * new.
     */
    void bringToDevice() {
        DType type = sharded.dtype();
        if (offloaded && state == State.SHARDED) {
            Tensor moved = runtime.empty(type, layout.paddedNumel());
            if (Copies.to(runtime, moved, gatheredType()) != moved) {
                runtime.free(moved);
            }
        }
    }

    /** The whole parameter has memory, and it is what the module has from now on. */
    void allocate() {
        runtime.resizeStorage(
                unsharded,
                layout.ranks() * layout.paddedNumel() * unsharded.dtype().bytes());
    }

    void toUnsharded() {
        runtime.release(postForward);
        postForward = null;
        state = State.UNSHARDED;
    }

    void toSharded() {
        runtime.resizeStorage(unsharded, 0);
        state = State.SHARDED;
    }

    /** Keeps a part that is larger than the shard (to_sharded_post_forward). */
    void toShardedPostForward(int ranks) {
        try (Frame frame = runtime.frame()) {
            postForward = runtime.hold(runtime.emptyStrided(
                    unsharded.dtype(),
                    new long[] {layout.ranks() * layout.paddedNumel() / ranks},
                    new long[] {1},
                    Category.PARAMETERS));
        }
        runtime.resizeStorage(unsharded, 0);
        state = State.SHARDED_POST_FORWARD;
    }

    /**
     * Adds the gradient to what earlier passes left in the type of the reduction (accumulate_unsharded_grad_if_needed).
     */
    void accumulate() {
        if (accumulated != null && unsharded.grad() != null) {
            runtime.setGrad(unsharded, null);
        }
    }

    /** Keeps the gradient in the type of the reduction until one takes place (to_accumulated_grad_if_needed). */
    void keepAccumulated() {
        Tensor grad = unsharded.grad();
        DType type = precision.reduction();
        if (type == null || grad == null || grad.dtype() == type) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            accumulated = runtime.hold(runtime.emptyLike(grad, type));
            runtime.setCategory(accumulated, Category.GRADIENTS);
        }
        runtime.setGrad(unsharded, null);
    }

    /** Takes the whole gradient away, with a reference for the caller; {@code null} where there is none. */
    @Nullable
    Tensor takeGradient() {
        if (accumulated != null) {
            Tensor kept = accumulated;
            accumulated = null;
            Tensor out = asShared(kept);
            runtime.release(kept);
            return out;
        }
        Tensor out = unsharded.grad() == null ? null : asShared(unsharded.grad());
        runtime.setGrad(unsharded, null);
        return out;
    }

    /**
     * The gradient of a parameter that tensor parallelism has shared, laid out as the parameter
     * (_get_grad_inner_tensor).
     */
    private Tensor asShared(Tensor gradient) {
        Distribution of = unsharded.distribution();
        if (of == null) {
            return runtime.hold(gradient);
        }
        try (Frame frame = runtime.frame()) {
            return runtime.hold(of.ranks().redistribute(gradient, of.gradient(), of.placement(), of.sizes(), false));
        }
    }
}
