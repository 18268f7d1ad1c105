package dev.headroom.estimator.parallel.dp;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import java.util.function.UnaryOperator;

/** {@code nn.DataParallel(model)} (torch/nn/parallel/data_parallel.py). */
public final class DataParallel implements LoopHook {
    private final Graph imported;
    private final CollectiveLog log;
    private final int devices;
    private TrainingLoop loop;

    /**
     * @param imported as the importer gives it
     * @param log of what is asked of NCCL
     * @param devices over which each batch is split
     */
    public DataParallel(Graph imported, CollectiveLog log, int devices) {
        this.imported = imported;
        this.log = log;
        this.devices = devices;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public ForwardPass forward(ForwardPass own) {
        return devices == 1 ? own : new SplitForward(loop, imported, log, devices);
    }

    /** The loss of a model that computes it itself is one a GPU, of which the mean is taken. */
    @Override
    public Tensor loss(Tensor output, UnaryOperator<Tensor> own) {
        boolean losses = devices > 1 && output.dim() == 1 && SplitForward.gathersScalars(loop.prepared());
        return losses
                ? Reductions.mean(loop.runtime(), output, new long[] {0}, false, output.dtype())
                : own.apply(output);
    }

    @Override
    public void end(Moment phase) {
        log.endPhase();
    }
}
