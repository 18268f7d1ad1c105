package dev.headroom.validation.generate;

import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * The options of a run that are varied; {@link Scenario} says what they mean. Unlike that class it never changes and
 * can be printed.
 *
 * @param variant bits of the optimizer's options: weight decay, then those of its own
 * @param checkpointModules numbers of the root chain's children that are checkpoints
 */
public record RandomRun(
        long batch,
        OptimizerKind optimizer,
        Scenario.Foreach foreach,
        boolean fused,
        int variant,
        DType dtype,
        DType amp,
        LossKind loss,
        int checkpoint,
        List<Integer> checkpointModules,
        Boolean reentrant,
        int accumulate,
        int steps,
        boolean zeroGradKeep,
        boolean channelsLast,
        boolean inputGrad,
        boolean dropOutputs,
        boolean inference,
        Scenario.Attention attention,
        String allocConf) {
    /** The simplest run of a model: one step of SGD on one sample. */
    public static RandomRun simplest() {
        return new RandomRun(
                1,
                OptimizerKind.SGD,
                Scenario.Foreach.AUTO,
                false,
                0,
                null,
                null,
                LossKind.SUM,
                0,
                List.of(),
                null,
                1,
                1,
                false,
                false,
                false,
                false,
                false,
                Scenario.Attention.AUTO,
                "");
    }

    /** The same for the predictor and the executor. Convolutions get no workspace. */
    public Scenario training() {
        Scenario run = new Scenario();
        run.batch = batch;
        run.optimizer = optimizer;
        run.foreach = foreach;
        run.fused = fused;
        run.optimizerOptions.weightDecay = (variant & 1) != 0;
        run.optimizerOptions.nesterov = (variant & 2) != 0 && optimizer == OptimizerKind.SGD_MOMENTUM;
        boolean adam = optimizer == OptimizerKind.ADAM || optimizer == OptimizerKind.ADAMW;
        run.optimizerOptions.amsgrad = (variant & 2) != 0 && adam;
        run.optimizerOptions.momentum = (variant & 2) != 0 && optimizer == OptimizerKind.RMSPROP;
        run.optimizerOptions.centered = (variant & 4) != 0 && optimizer == OptimizerKind.RMSPROP;
        run.dtype = dtype;
        run.amp = amp;
        run.loss = loss;
        run.checkpoint = checkpoint;
        run.checkpointModules = checkpointModules.stream().map(String::valueOf).toList();
        run.reentrant = reentrant;
        run.accumulate = accumulate;
        run.steps = steps;
        run.zeroGradKeep = zeroGradKeep;
        run.channelsLast = channelsLast;
        run.inputGrad = inputGrad;
        run.dropOutputs = dropOutputs;
        run.inference = inference;
        run.attention = attention;
        run.allocConf = allocConf;
        run.cudnnWorkspace = 0L;
        return run;
    }
}
