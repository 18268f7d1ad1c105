package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.parallel.group.CoalescedBroadcast;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/** What makes all ranks' models alike: comparison of shapes, and copies of the first rank's state. */
final class StateBroadcast {
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

    /** Copies tensors of the first rank to all. */
    void send(List<Tensor> tensors) {
        new CoalescedBroadcast(runtime, t -> collectives.run(CollectiveKind.BROADCAST, t.nbytes(), t.dtype(), 0))
                .send(tensors);
    }
}
