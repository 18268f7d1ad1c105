package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.layout.Buckets;
import dev.headroom.estimator.parallel.layout.Piece;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What makes all ranks' models alike: comparison of shapes, and copies of the first rank's state. */
final class StateBroadcast {
    /** Bytes of a copy that goes out at once (DistributedDataParallel.broadcast_bucket_size). */
    private static final long COPY_BYTES = 250L << 20;

    private static final int MOST_IN_FLIGHT = 2;

    private final EagerRuntime runtime;
    private final Collectives collectives;

    StateBroadcast(EagerRuntime runtime, Collectives collectives) {
        this.runtime = runtime;
        this.collectives = collectives;
    }

    /**
     * Compares numbers and shapes of parameters among ranks
     * (torch/csrc/distributed/c10d/reducer.cpp, verify_params_across_processes).
     */
    void compareShapes(List<Tensor> parameters) {
        try (Frame frame = runtime.frame()) {
            int ranks = collectives.group().size();
            Tensor count = runtime.empty(DType.INT64, 1);
            List<Tensor> counts = new ArrayList<>();
            for (int i = 0; i < ranks; i++) {
                counts.add(runtime.empty(DType.INT64, 1));
            }
            runtime.free(runtime.empty(DType.INT64, ranks)); // gathered flat, then copied out
            collectives.run(CollectiveKind.ALL_GATHER, count.nbytes(), DType.INT64);
            long entries = parameters.stream().mapToLong(p -> 2L * p.dim()).sum(); // sizes and strides
            Tensor shapes = runtime.empty(DType.INT64, entries);
            collectives.run(CollectiveKind.BROADCAST, shapes.nbytes(), DType.INT64, 0);
            runtime.free(shapes);
            runtime.freeAll(counts);
            runtime.free(count);
        }
    }

    /**
     * Copies tensors of the first rank to all, flat copies of several at once
     * (torch/csrc/distributed/c10d/comm.cpp, broadcast_coalesced).
     */
    void send(List<Tensor> tensors) {
        List<Piece> pieces =
                tensors.stream().map(t -> new Piece(t.dtype(), t.nbytes())).toList();
        try (Frame frame = runtime.frame()) {
            Deque<Tensor> inFlight = new ArrayDeque<>();
            for (List<Integer> together : Buckets.ofRegistered(pieces, COPY_BYTES)) {
                if (inFlight.size() == MOST_IN_FLIGHT) {
                    runtime.free(inFlight.remove());
                }
                inFlight.add(flat(together.stream().map(tensors::get).toList()));
                collectives.run(
                        CollectiveKind.BROADCAST,
                        inFlight.getLast().nbytes(),
                        inFlight.getLast().dtype(),
                        0);
            }
            runtime.freeAll(inFlight);
        }
    }

    /**
     * A single tensor is its own flat copy; what is not row-major is copied first
     * (aten/src/ATen/native/TensorShape.cpp, flatten_dense_tensors).
     */
    private Tensor flat(List<Tensor> tensors) {
        Tensor first = tensors.get(0);
        if (tensors.size() == 1) {
            return rowMajor(first);
        }
        List<Tensor> rows = tensors.stream().map(this::rowMajor).toList();
        Tensor flat = runtime.empty(
                first.dtype(), tensors.stream().mapToLong(Tensor::numel).sum());
        for (int i = 0; i < rows.size(); i++) {
            runtime.freeUnless(rows.get(i), tensors.get(i));
        }
        return flat;
    }

    private Tensor rowMajor(Tensor t) {
        return t.isContiguous() ? t : runtime.empty(t.dtype(), t.numel());
    }
}
