package dev.headroom.estimator.parallel;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.function.Consumer;

/** {@code accelerator.gather} (accelerate 1.15, utils/operations.py, _gpu_gather_one). */
final class WorldGather implements LoopHook {
    private final int world;
    private final Consumer<Tensor> allGather;
    private EagerRuntime runtime;

    /** @param allGather notes the collective that sends a tensor to all ranks */
    WorldGather(int world, Consumer<Tensor> allGather) {
        this.world = world;
        this.allGather = allGather;
    }

    @Override
    public void attach(TrainingLoop loop) {
        runtime = loop.runtime();
    }

    @Override
    public Tensor gather(Tensor own) {
        try (Frame frame = runtime.frame()) {
            boolean scalar = own.dim() == 0; // tensor.clone()[None]
            Tensor row = scalar ? Copies.clone(runtime, own) : Copies.contiguous(runtime, own);
            long[] sizes = scalar ? new long[] {1} : own.sizes().clone();
            sizes[0] *= world;
            Tensor gathered = runtime.empty(own.dtype(), sizes);
            allGather.accept(row);
            runtime.freeUnless(row, own);
            return frame.keep(gathered);
        }
    }
}
