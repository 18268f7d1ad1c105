package dev.headroom.estimator.parallel.mp;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.DeviceCopies;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parts.Division;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A model cut over several GPUs, part k on device k: activations are copied from one to the next, the loss is taken on
 * the last one.
 */
public final class SplitModel implements LoopHook {
    private final Graph imported;
    private final Parallelism parallel;
    private final CollectiveLog log;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private Division division;

    /**
     * @param imported as the importer gives it
     * @param log stays empty, phase by phase
     */
    public SplitModel(Graph imported, Parallelism parallel, CollectiveLog log) {
        this.imported = imported;
        this.parallel = parallel;
        this.log = log;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        division =
                Division.of(to.prepared(), parallel.world(), parallel.pipeline().split());
    }

    @Override
    public Placement placement(Placement own) {
        return division::partOf;
    }

    @Override
    public @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return PerDeviceOptimizer.of(runtime.devices(), parameters, own);
    }

    @Override
    public ForwardPass forward(ForwardPass own) {
        return parallel.pipeline().microbatches() == 1
                ? new OneByOne(loop, division)
                : new InTurns(loop, imported, parallel);
    }

    /** Labels go where the loss is. */
    @Override
    public Tensor target(Tensor made) {
        return DeviceCopies.to(runtime, made, parallel.world() - 1);
    }

    @Override
    public void begin(Moment phase) {
        boolean last = phase.phase() == Phase.LOSS || phase.phase() == Phase.BACKWARD;
        runtime.devices().use(last ? parallel.world() - 1 : 0);
    }

    @Override
    public void end(Moment phase) {
        runtime.devices().use(0);
        log.endPhase();
    }
}
