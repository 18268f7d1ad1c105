package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.op.reduction.Norms;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code FullyShardedDataParallel.clip_grad_norm_}: norms in float32, their squares summed over ranks. */
final class ShardedClipping {
    private final EagerRuntime runtime;
    private final Communicator shards;
    private final boolean offloaded;
    private @Nullable Tensor zero;

    /** @param offloaded gradients are in host memory, and so are all scalars but those that ranks exchange */
    ShardedClipping(EagerRuntime runtime, Communicator shards, boolean offloaded) {
        this.runtime = runtime;
        this.shards = shards;
        this.offloaded = offloaded;
    }

    /** A zero stays on the device from the first call on. */
    void prepare() {
        if (zero == null) {
            try (Frame frame = runtime.frame()) {
                zero = runtime.hold(runtime.empty(DType.FLOAT32));
                runtime.streams().hostWaits(); // it is copied from the host
            }
        }
    }

    /** @param result is handed what the call returns on the device: a local variable of the running frame */
    void clip(List<Tensor> parameters, Consumer<Tensor> result) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> gradients = parameters.stream()
                    .map(Tensor::grad)
                    .filter(Objects::nonNull)
                    .toList();
            Tensor local = gradients.isEmpty() ? zero : offloaded ? runtime.empty(DType.FLOAT32) : norm(gradients);
            Tensor squared = runtime.emptyLike(Objects.requireNonNull(local));
            shards.run(CollectiveKind.ALL_REDUCE, squared.nbytes(), squared.dtype(), 0);
            Tensor total = runtime.emptyLike(squared);
            runtime.free(squared);
            if (offloaded) {
                runtime.streams().hostWaits();
            } else {
                new GradientClipping(runtime).scale(total);
                result.accept(total);
            }
        }
    }

    /** _get_grad_norm. */
    private Tensor norm(List<Tensor> gradients) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> norms = new ArrayList<>();
            for (Tensor g : gradients) {
                norms.add(Norms.ofAll(runtime, g, DType.FLOAT32));
            }
            Tensor stacked = runtime.empty(DType.FLOAT32, norms.size());
            runtime.freeAll(norms);
            return frame.keep(Norms.ofAll(runtime, stacked, DType.FLOAT32));
        }
    }
}
