package dev.headroom.executor.optim;

import dev.headroom.graph.GraphException;
import dev.headroom.training.OptimizerKind;
import dev.headroom.training.TrainingRun;
import java.util.Set;

/** The forms in which torch.optim has its optimizers. */
enum Implementation {
    FOR_LOOP,
    FOREACH,
    FUSED;

    private static final Set<OptimizerKind> WITH_FUSED = Set.of(
            OptimizerKind.SGD,
            OptimizerKind.SGD_MOMENTUM,
            OptimizerKind.ADAM,
            OptimizerKind.ADAMW,
            OptimizerKind.ADAGRAD);

    /**
     * The form that a run uses: on CUDA foreach by default, but for Adafactor (torch/optim/optimizer.py,
     * _default_to_fused_or_foreach; _adafactor.py does not ask it).
     *
     * @throws GraphException for what PyTorch refuses
     */
    static Implementation of(TrainingRun run) {
        if (run.fused) {
            if (run.foreach == TrainingRun.Foreach.TRUE) {
                throw new GraphException("--fused and --foreach true exclude each other");
            }
            if (!WITH_FUSED.contains(run.optimizer)) {
                throw new GraphException("--fused: PyTorch has no fused " + run.optimizer.option());
            }
            return FUSED;
        }
        return switch (run.foreach) {
            case TRUE -> FOREACH;
            case FALSE -> FOR_LOOP;
            case AUTO -> run.optimizer == OptimizerKind.ADAFACTOR ? FOR_LOOP : FOREACH;
        };
    }
}
