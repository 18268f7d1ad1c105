package dev.headroom.executor.parallel;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Makes models of all ranks alike. */
final class StateSync {
    /** Bytes of a flat copy (torch/nn/parallel/distributed.py, broadcast_bucket_size). */
    private static final long COPY = 250L << 20;

    /** Flat copies that are on their way at a time (comm.cpp, max_in_flight). */
    private static final int IN_FLIGHT = 2;

    private final Eager eager;
    private final Collectives collectives;

    /** Tensors on their way, with the flat copy that travels. */
    private record Broadcast(List<Tensor> tensors, Tensor flat) {}

    StateSync(Eager eager, Collectives collectives) {
        this.eager = eager;
        this.collectives = collectives;
    }

    /**
     * Compares numbers and shapes of the parameters (reducer.cpp, verify_params_across_processes).
     *
     * @throws UserInputException when ranks have different models
     */
    void verify(List<Tensor> parameters) {
        int ranks = collectives.group().size();
        try (Scope s = eager.open()) {
            Tensor count = eager.empty(DType.INT64, 1);
            List<Tensor> counts = new ArrayList<>();
            for (int r = 0; r < ranks; r++) {
                counts.add(eager.empty(DType.INT64, 1));
            }
            Tensor flat = eager.empty(DType.INT64, ranks);
            long[] shapes = parameters.stream()
                    .flatMapToLong(p -> LongStream.concat(Arrays.stream(p.sizes()), Arrays.stream(p.strides())))
                    .toArray();
            List<long[]> all = collectives.gather(shapes);
            eager.free(flat);
            Tensor sent = eager.empty(DType.INT64, shapes.length);
            if (!all.stream().allMatch(other -> Arrays.equals(other, shapes))) {
                throw new UserInputException("ranks have models of different shapes");
            }
            eager.free(sent);
            counts.forEach(eager::free);
            eager.free(count);
        }
    }

    /** Gives every rank the first one's values (comm.cpp, broadcast_coalesced). */
    void broadcast(List<Tensor> tensors) {
        ArrayDeque<Broadcast> inFlight = new ArrayDeque<>();
        try (Scope s = eager.open()) {
            for (List<Tensor> together : BucketDivision.inOrder(tensors, COPY)) {
                if (inFlight.size() == IN_FLIGHT) {
                    finish(inFlight.remove());
                }
                Tensor flat = flat(together);
                collectives.broadcast(flat, 0);
                inFlight.add(new Broadcast(together, flat));
            }
            inFlight.forEach(this::finish);
        }
    }

    /** torch/csrc/utils/tensor_flatten.h, flatten_dense_tensors: what is not row-major is copied first. */
    private Tensor flat(List<Tensor> tensors) {
        if (tensors.size() == 1) {
            return eager.call(() -> row(tensors.get(0)));
        }
        return eager.call(() -> {
            List<Tensor> rows = tensors.stream().map(this::row).toList();
            Tensor out = eager.empty(
                    tensors.get(0).dtype(),
                    rows.stream().mapToLong(Tensor::elements).sum());
            long offset = 0;
            for (Tensor row : rows) {
                copy(eager.alias(out, row.sizes(), row.strides(), offset), row);
                offset += row.elements();
            }
            return out;
        });
    }

    private Tensor row(Tensor t) {
        Tensor packed = Copies.packed(eager, t);
        return eager.alias(packed, new long[] {t.elements()}, new long[] {1}, packed.offset());
    }

    private void finish(Broadcast done) {
        try (Scope s = eager.open()) {
            long offset = done.flat.offset();
            for (Tensor t : done.tensors) {
                if (t.storage() != done.flat.storage()) {
                    copy(t, eager.alias(done.flat, t.sizes(), Layout.contiguous(t.sizes()), offset));
                }
                offset += t.elements();
            }
        }
        eager.free(done.flat);
    }

    private void copy(Tensor into, Tensor from) {
        eager.backend().elementwise().map(Formula.COPY, new double[0], new Tensor[] {into}, from);
    }
}
