package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.OptimizerSettings.AMSGRAD;
import static dev.headroom.model.scenario.OptimizerSettings.CENTERED;
import static dev.headroom.model.scenario.OptimizerSettings.MOMENTUM;
import static dev.headroom.model.scenario.OptimizerSettings.NESTEROV;
import static dev.headroom.model.scenario.OptimizerSettings.WEIGHT_DECAY;
import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        @Nullable DType dtype,
        @Nullable DType amp,
        LossKind loss,
        int checkpoint,
        List<Integer> checkpointModules,
        @Nullable Boolean reentrant,
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
        return simplest(null);
    }

    /** The simplest run of a model in a type; {@code null} for float32. */
    static RandomRun simplest(@Nullable DType dtype) {
        return new RandomRun(
                1,
                OptimizerKind.SGD,
                Scenario.Foreach.AUTO,
                false,
                0,
                dtype,
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
        Scenario run = Scenario.defaults()
                .with(BATCH, batch)
                .with(OPTIMIZER, optimizer)
                .with(FOREACH, foreach)
                .with(FUSED, fused)
                .with(WEIGHT_DECAY, (variant & 1) != 0)
                .with(NESTEROV, (variant & 2) != 0 && optimizer == OptimizerKind.SGD_MOMENTUM);
        boolean adam = optimizer == OptimizerKind.ADAM || optimizer == OptimizerKind.ADAMW;
        run = run.with(AMSGRAD, (variant & 2) != 0 && adam)
                .with(MOMENTUM, (variant & 2) != 0 && optimizer == OptimizerKind.RMSPROP)
                .with(CENTERED, (variant & 4) != 0 && optimizer == OptimizerKind.RMSPROP)
                .with(DTYPE, dtype)
                .with(AMP, amp)
                .with(LOSS, loss)
                .with(CHECKPOINT, checkpoint)
                .with(
                        CHECKPOINT_MODULES,
                        checkpointModules.stream().map(String::valueOf).toList())
                .with(REENTRANT, reentrant)
                .with(ACCUMULATE, accumulate)
                .with(STEPS, steps)
                .with(ZERO_GRAD_KEEP, zeroGradKeep)
                .with(CHANNELS_LAST, channelsLast)
                .with(INPUT_GRAD, inputGrad)
                .with(DROP_OUTPUTS, dropOutputs)
                .with(INFERENCE, inference)
                .with(ATTENTION, attention)
                .with(ALLOC_CONF, allocConf)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        return run;
    }
}
