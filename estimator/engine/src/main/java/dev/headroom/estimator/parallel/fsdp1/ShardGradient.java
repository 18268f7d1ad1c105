package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The gradient of a shard: that of the flat parameter itself, or of the parameters that the module keeps, as views
 * (torch/distributed/fsdp/_flat_param.py, _use_sharded_grad_views).
 */
final class ShardGradient {
    private final EagerRuntime runtime;
    private final FlatParameter parameter;
    private final List<Tensor> originals;
    private final int rank;
    private @Nullable Tensor held;

    /** @param originals this rank's parts of the module's own parameters; empty when it keeps none */
    ShardGradient(EagerRuntime runtime, FlatParameter parameter, List<Tensor> originals, int rank) {
        this.runtime = runtime;
        this.parameter = parameter;
        this.originals = originals;
        this.rank = rank;
    }

    /** What earlier passes left; {@code null} for nothing. */
    @Nullable
    Tensor get() {
        return originals.isEmpty() ? parameter.shard().grad() : held;
    }

    /** Whether the module keeps parameters of its own. */
    boolean hasOriginals() {
        return !originals.isEmpty();
    }

    /** The parameters that the optimizer steps, in the order in which they lie. */
    List<Tensor> stepped() {
        return originals.isEmpty() ? List.of(parameter.shard()) : originals;
    }

    /**
     * What is not divided stays where backward passes add to it (prepare_gradient_for_backward leaves gradients of the
     * whole's size alone).
     */
    void prepare() {
        if (!parameter.isDivided() && get() != null && parameter.whole().grad() == null) {
            runtime.setGrad(parameter.whole(), get());
        }
    }

    /** @param gradient with a reference that passes over */
    void set(Tensor gradient) {
        if (originals.isEmpty()) {
            runtime.setGrad(parameter.shard(), gradient);
            runtime.release(gradient);
        } else {
            runtime.release(held);
            held = gradient;
        }
        refresh();
    }

    /** The parameters that the module keeps are parts of the shard as it is now (_use_sharded_views). */
    void view() {
        int next = 0;
        for (FlatLayout.Piece piece : parameter.layout().pieces()) {
            if (piece.parameter() >= 0 && !originals.isEmpty()) {
                Tensor original = originals.get(next++);
                if (original.storage() != parameter.shard().storage()) {
                    FlatLayout.Part part = parameter.layout().part(piece, rank);
                    runtime.setData(original, parameter.shard(), original.strides(), part.offset());
                }
            }
        }
    }

    /** The gradient is in host memory, as the shard is. */
    void setOnHost() {
        for (Tensor p : stepped()) {
            if (p.requiresGrad() && p.numel() > 0 && p.grad() == null) {
                try (Frame frame = runtime.frame()) {
                    runtime.setGrad(p, runtime.hostTensor(p.dtype(), p.sizes()));
                }
            }
        }
    }

    /** Lets parameters that the module keeps show their parts of the gradient. */
    void refresh() {
        int next = 0;
        for (FlatLayout.Piece piece : parameter.layout().pieces()) {
            if (piece.parameter() >= 0 && !originals.isEmpty()) {
                Tensor original = originals.get(next++);
                FlatLayout.Part part = parameter.layout().part(piece, rank);
                if (part.numel() > 0 && original.requiresGrad()) {
                    try (Frame frame = runtime.frame()) {
                        runtime.setGrad(
                                original,
                                runtime.reinterpret(
                                        Objects.requireNonNull(held),
                                        original.sizes(),
                                        original.strides(),
                                        part.offset()));
                    }
                } else {
                    runtime.setGrad(original, null);
                }
            }
        }
    }

    /** The whole gradient stays after a pass without reduction; parameters show it (_use_unsharded_grad_views). */
    void useWhole() {
        for (int i = 0; i < originals.size(); i++) {
            Tensor original = originals.get(i);
            try (Frame frame = runtime.frame()) {
                boolean fits = original.dtype() == parameter.whole().dtype()
                        && Arrays.equals(
                                original.sizes(), parameter.views().get(i).sizes());
                if (original.grad() == null && !fits) {
                    runtime.free(runtime.emptyLike(original)); // its memory is replaced by the view's
                }
                runtime.setGrad(
                        original,
                        runtime.detach(Objects.requireNonNull(parameter.whole().grad())));
            }
        }
    }

    /** Lets go of the gradient when the parameters have none any more (_reset_flat_param_grad_info_if_needed). */
    void releaseUnused() {
        if (!originals.isEmpty() && originals.stream().allMatch(p -> p.grad() == null)) {
            runtime.release(held);
            held = null;
            runtime.setGrad(parameter.whole(), null);
        }
    }
}
