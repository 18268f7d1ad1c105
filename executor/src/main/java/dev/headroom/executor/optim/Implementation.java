package dev.headroom.executor.optim;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;

/** The forms in which torch.optim has its optimizers. */
enum Implementation {
    FOR_LOOP,
    FOREACH,
    FUSED;

    /**
     * The form that a run uses: on CUDA foreach by default, but for Adafactor (torch/optim/optimizer.py,
     * _default_to_fused_or_foreach; _adafactor.py does not ask it).
     *
     * @throws UserInputException for what PyTorch refuses
     */
    static Implementation of(Scenario run) {
        if (run.optimizer().fused()) {
            if (run.optimizer().foreach() == Scenario.Foreach.TRUE) {
                throw new UserInputException(
                        "the fused and the foreach form of an optimizer exclude each other; leave out one of them");
            }
            if (!run.optimizer().kind().fuses()) {
                throw new UserInputException(
                        "PyTorch has no fused " + run.optimizer().kind().option() + "; leave out the fused form");
            }
            return FUSED;
        }
        return switch (run.optimizer().foreach()) {
            case TRUE -> FOREACH;
            case FALSE -> FOR_LOOP;
            case AUTO -> run.optimizer().kind() == OptimizerKind.ADAFACTOR ? FOR_LOOP : FOREACH;
        };
    }
}
