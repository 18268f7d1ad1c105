package dev.headroom.estimator.parallel.group;

import dev.headroom.estimator.parallel.layout.Buckets;
import dev.headroom.estimator.parallel.layout.Piece;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** Copies of the first rank's tensors to all ranks, several in one ({@code _broadcast_coalesced}). */
public final class CoalescedBroadcast {
    /**
     * Bytes of a copy that goes out at once (torch/nn/parallel/distributed.py, broadcast_bucket_size;
     * torch/distributed/fsdp/_init_utils.py, PARAM_BROADCAST_BUCKET_SIZE).
     */
    private static final long COPY_BYTES = 250L << 20;

    private static final int MOST_IN_FLIGHT = 2;

    private final EagerRuntime runtime;
    private final Consumer<Tensor> broadcast;

    /** @param broadcast notes the collective that sends a tensor */
    public CoalescedBroadcast(EagerRuntime runtime, Consumer<Tensor> broadcast) {
        this.runtime = runtime;
        this.broadcast = broadcast;
    }

    /**
     * Copies tensors of the first rank to all, flat copies of several at once
     * (torch/csrc/distributed/c10d/comm.cpp, broadcast_coalesced).
     */
    public void send(List<Tensor> tensors) {
        List<Piece> pieces =
                tensors.stream().map(t -> new Piece(t.dtype(), t.nbytes())).toList();
        try (Frame frame = runtime.frame()) {
            Deque<Tensor> inFlight = new ArrayDeque<>();
            for (List<Integer> together : Buckets.ofRegistered(pieces, COPY_BYTES)) {
                if (inFlight.size() == MOST_IN_FLIGHT) {
                    runtime.free(inFlight.remove());
                }
                inFlight.add(flat(together.stream().map(tensors::get).toList()));
                broadcast.accept(inFlight.getLast());
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
