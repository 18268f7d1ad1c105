package dev.headroom.estimator.parallel.dp;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.parallel.layout.Piece;
import dev.headroom.estimator.parallel.layout.TakenTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Copies many tensors between GPUs in flat chunks of 10 MiB, between the first {@code devices} GPUs of the process. */
final class Coalesced {
    private static final long LIMIT = 10 << 20;

    private final EagerRuntime runtime;
    private final CollectiveLog log;
    private final int devices;

    Coalesced(EagerRuntime runtime, CollectiveLog log, int devices) {
        this.runtime = runtime;
        this.log = log;
        this.devices = devices;
    }

    private static List<Piece> pieces(List<Tensor> tensors) {
        return tensors.stream().map(t -> new Piece(t.dtype(), t.nbytes())).toList();
    }

    /**
     * Copies tensors of the first GPU to the others (torch/csrc/cuda/comm.cpp, broadcast_coalesced).
     *
     * @return by device, parallel to {@code tensors}, local variables of the running frame; on the first GPU the
     *     tensors themselves
     */
    Tensor[][] broadcast(List<Tensor> tensors) {
        Tensor[][] out = new Tensor[devices][tensors.size()];
        out[0] = tensors.toArray(new Tensor[0]);
        for (List<Integer> chunk : TakenTensors.reaching(pieces(tensors), LIMIT)) {
            try (Frame frame = runtime.frame()) {
                List<Tensor> members = chunk.stream().map(tensors::get).toList();
                Tensor flat = flatten(members);
                for (int d = 1; d < devices; d++) {
                    runtime.devices().use(d);
                    Tensor copy = runtime.empty(flat.dtype(), flat.numel());
                    Tensor[] parts = split(copy, members);
                    for (int k = 0; k < parts.length; k++) {
                        out[d][chunk.get(k)] = frame.keep(parts[k]);
                    }
                }
                runtime.devices().use(0);
                log(CollectiveKind.BROADCAST, flat.nbytes(), flat.dtype());
            }
        }
        return out;
    }

    /**
     * Sums tensors on the first GPU (torch/nn/parallel/comm.py, reduce_add_coalesced).
     *
     * @param tensors by device
     * @return local variables of the running frame, parts of flat chunks
     */
    Tensor[] reduce(List<List<Tensor>> tensors) {
        List<Tensor> like = tensors.get(0);
        Tensor[] out = new Tensor[like.size()];
        try (Frame frame = runtime.frame()) {
            List<Tensor> before = List.of();
            for (List<Integer> chunk : TakenTensors.within(pieces(like), LIMIT)) {
                List<Tensor> flats = new ArrayList<>();
                for (int d = 0; d < devices; d++) {
                    runtime.devices().use(d);
                    flats.add(flatten(chunk.stream().map(tensors.get(d)::get).toList()));
                }
                runtime.devices().use(0);
                runtime.freeAll(before); // the names are bound anew once all are there
                Tensor sum = runtime.emptyLike(flats.get(0));
                log(CollectiveKind.REDUCE, sum.nbytes(), sum.dtype());
                Tensor[] parts = split(sum, chunk.stream().map(like::get).toList());
                for (int k = 0; k < parts.length; k++) {
                    out[chunk.get(k)] = frame.keep(parts[k]);
                }
                runtime.free(sum);
                before = flats;
            }
        }
        return out;
    }

    /** A row for each GPU; NCCL numbers their communicators alike. */
    private void log(CollectiveKind kind, long bytes, DType type) {
        for (int d = 0; d < devices; d++) {
            log.add(new CollectiveRow(kind, bytes, type, devices, d, 0, 0, 1));
        }
    }

    /** One tensor is looked at flat, several are copied (torch/csrc/utils/tensor_flatten.h, flatten_dense_tensors). */
    private Tensor flatten(List<Tensor> tensors) {
        if (tensors.size() == 1) {
            Tensor whole = Copies.contiguous(runtime, tensors.get(0));
            Tensor flat = runtime.reinterpret(whole, new long[] {whole.numel()}, new long[] {1}, whole.offset());
            runtime.freeUnless(whole, tensors.get(0));
            return flat;
        }
        try (Frame frame = runtime.frame()) {
            long numel = 0;
            for (Tensor t : tensors) {
                numel += Copies.contiguous(runtime, t).numel();
            }
            return frame.keep(runtime.empty(tensors.get(0).dtype(), numel));
        }
    }

    private Tensor[] split(Tensor flat, List<Tensor> like) {
        long[] offset = {0};
        return IntStream.range(0, like.size())
                .mapToObj(k -> {
                    long[] sizes = like.get(k).sizes();
                    Tensor part = runtime.reinterpret(flat, sizes, Shapes.contiguous(sizes), flat.offset() + offset[0]);
                    offset[0] += part.numel();
                    return part;
                })
                .toArray(Tensor[]::new);
    }
}
