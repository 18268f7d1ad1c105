package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.layout.CopyMetadata;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reduces a unit's gradients in one collective, or two in a grid of ranks
 * (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, foreach_reduce).
 */
final class Reduction {
    private final EagerRuntime runtime;
    private final Communication shared;
    private final Communicator shards;
    private final @Nullable Communicator replicas;

    /** @param replicas who have the same shards; {@code null} for none */
    Reduction(Communication shared, Communicator shards, @Nullable Communicator replicas) {
        this.shared = shared;
        this.runtime = shared.runtime();
        this.shards = shards;
        this.replicas = replicas;
    }

    /**
     * What a reduction leaves behind, with a reference each.
     *
     * @param input of the reduction
     * @param allReduced of the reduction among replicas; {@code null} without
     */
    record Kept(Tensor input, @Nullable Tensor allReduced) {}

    /**
     * Reduces.
     *
     * @param parameters with a gradient
     * @param gradients of these, with a reference each that passes over
     */
    Kept run(List<ShardedParameter> parameters, List<Tensor> gradients) {
        ShardedParameter first = parameters.get(0);
        DType gradType = gradients.get(0).dtype();
        DType type = first.precision().reduction() == null
                ? gradType
                : first.precision().reduction();
        long shard =
                parameters.stream().mapToLong(p -> p.layout().paddedNumel()).sum();
        try (Frame frame = runtime.frame()) {
            Tensor input = runtime.hold(runtime.empty(type, shard * shards.size()));
            copyIn(parameters, gradType, type);
            int last = gradients.size() - 1;
            // Where there are several ranks, a loop's variable still holds the last one.
            Tensor held = shards.size() > 1 ? runtime.hold(gradients.get(last)) : null;
            for (int i = last; i >= 0; i--) {
                runtime.release(gradients.get(i));
            }
            int before = runtime.streams().use(shared.stream(Communication.REDUCE));
            Tensor output = runtime.empty(type, shard);
            if (shards.size() > 1) {
                shards.run(CollectiveKind.REDUCE_SCATTER, output.nbytes(), type, shared.stream(Communication.REDUCE));
            }
            Tensor allReduced = null;
            if (replicas != null) {
                runtime.streams().use(shared.stream(Communication.ALL_REDUCE));
                if (replicas.size() > 1) {
                    replicas.run(
                            CollectiveKind.ALL_REDUCE, output.nbytes(), type, shared.stream(Communication.ALL_REDUCE));
                }
                allReduced = runtime.hold(output);
            }
            output = inOwnType(output, first.sharded().dtype());
            viewOut(parameters, output);
            runtime.streams().use(before);
            runtime.release(held);
            return new Kept(input, allReduced);
        }
    }

    /**
     * {@code _chunk_cat}: one kernel where types allow it, else copies of what must be padded
     * (aten/src/ATen/native/TensorShape.cpp, _pad_chunk).
     */
    private void copyIn(List<ShardedParameter> parameters, DType from, DType to) {
        long[] bytes = parameters.stream()
                .mapToLong(p -> p.layout().paddedNumel() * to.bytes())
                .toArray();
        if (from == to || from == DType.BFLOAT16 && to == DType.FLOAT32) {
            runtime.free(runtime.scratch(CopyMetadata.cat(bytes)));
            return;
        }
        try (Frame frame = runtime.frame()) {
            for (ShardedParameter p : parameters) {
                if (p.layout().padding() > 0) {
                    runtime.empty(from, p.layout().ranks() * p.layout().paddedNumel());
                }
            }
        }
    }

    private Tensor inOwnType(Tensor output, DType own) {
        if (output.dtype() == own) {
            return output;
        }
        Tensor out = runtime.emptyLike(output, own);
        runtime.free(output);
        return out;
    }

    /** Parts of the output become the gradients of shards, or are added to them. */
    private void viewOut(List<ShardedParameter> parameters, Tensor output) {
        long offset = 0;
        for (ShardedParameter p : parameters) {
            Tensor sharded = p.sharded();
            if (sharded.grad() == null && p.isOffloaded()) {
                runtime.setGrad(sharded, runtime.hostTensor(sharded.dtype(), sharded.sizes()));
            } else if (sharded.grad() == null) {
                runtime.setCategory(output, Category.GRADIENTS);
                runtime.setGrad(
                        sharded,
                        runtime.reinterpret(output, sharded.sizes(), Shapes.contiguous(sharded.sizes()), offset));
            }
            offset += p.layout().paddedNumel();
        }
    }
}
