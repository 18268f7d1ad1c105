package dev.headroom.estimator.loop;

import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** What a scenario changes in the plain loop. */
final class ScenarioHooks {
    private ScenarioHooks() {}

    static List<LoopHook> of(Scenario run) {
        List<LoopHook> hooks = new ArrayList<>();
        if (run.loop().inference()) {
            return hooks;
        }
        if (!run.optimizer().groups().isEmpty()
                && run.parallel().kind() == ParallelKind.SINGLE
                && !run.trainer().loop().isTrainer()) {
            hooks.add(new GroupedSteps(run));
        }
        if (run.trainer().loop().isTrainer()) {
            hooks.add(new TrainerLoop(run)); // it divides losses before they are scaled
        }
        Optimizers.checkAlone(run.optimizer().kind(), run);
        if (run.optimizer().kind().projects()) {
            hooks.add(new ProjectedSteps(run));
        }
        if (StepsInBackward.takes(run)) {
            hooks.add(new StepsInBackward(run));
        }
        if (run.loop().newBatches()) {
            hooks.add(new NewBatches());
        }
        if (run.loop().zeroGradKeep() || !run.torch().zeroGradSetsToNone()) {
            hooks.add(new KeptGradients());
        }
        if (run.loop().zeroGradBeforeBackward()) {
            hooks.add(new LateZeroGrad());
        }
        if (run.loop().dropOutputs()) {
            hooks.add(new DeletedOutputs());
        }
        if (run.precision().amp() == DType.FLOAT16) {
            // ZeroRedundancyOptimizer does not say that the optimizer inside of it could take the scale.
            hooks.add(new GradScaler(
                    run.optimizer().fused() && !run.parallel().ddp().zeroOptimizer()));
        }
        return hooks;
    }

    private static boolean isFirstPass(Moment moment) {
        return moment.micro() == null || moment.micro() == 0;
    }

    /** Every step but the first brings a batch to the device, while the one before is still there. */
    private static final class NewBatches implements LoopHook {
        private TrainingLoop loop;

        @Override
        public void describe(Beginning to) {
            // It remembers nothing.
        }

        @Override
        public void attach(TrainingLoop to) {
            loop = to;
        }

        @Override
        public void between(Moment next) {
            Phase first = loop.evaluates() ? Phase.OPTIMIZER : Phase.FORWARD;
            if (next.phase() == first && next.stepNumber() > 0 && isFirstPass(next)) {
                loop.loadBatch();
            }
        }
    }

    /** {@code zero_grad(set_to_none=False)} fills gradients with zeros in place. */
    private static final class KeptGradients implements LoopHook {
        @Override
        public void describe(Beginning to) {
            // It remembers nothing.
        }

        @Override
        public void zeroGrad(Runnable own) {
            // No memory is taken or given back.
        }
    }

    /** Gradients are let go of between the loss and the first backward pass, and not where the step begins. */
    private static final class LateZeroGrad implements LoopHook {
        private TrainingLoop loop;

        @Override
        public void describe(Beginning to) {
            // It remembers nothing.
        }

        @Override
        public void attach(TrainingLoop to) {
            loop = to;
        }

        @Override
        public void begin(Moment phase) {
            if (phase.phase() == Phase.BACKWARD && isFirstPass(phase)) {
                loop.zeroGrad();
            }
        }

        @Override
        public void zeroGrad(Runnable own) {
            if (loop.moment().phase() != Phase.ZERO_GRAD) {
                own.run();
            }
        }
    }

    /** {@code del outputs, loss} after each backward pass. */
    private static final class DeletedOutputs implements LoopHook {
        private TrainingLoop loop;

        @Override
        public void describe(Beginning to) {
            // It remembers nothing.
        }

        @Override
        public void attach(TrainingLoop to) {
            loop = to;
        }

        @Override
        public void end(Moment phase) {
            if (phase.phase() == Phase.BACKWARD) {
                loop.variables().delete();
            }
        }
    }
}
