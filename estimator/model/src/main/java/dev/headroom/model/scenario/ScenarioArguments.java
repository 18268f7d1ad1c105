package dev.headroom.model.scenario;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A run as the words of the command line that describe it, defaults left out. Settings that only the library has (the
 * arguments of optimizers' constructors, the order of zero_grad, fresh batches) have no words.
 */
public final class ScenarioArguments {
    private static final Scenario DEFAULTS = new Scenario();

    private final List<String> words = new ArrayList<>();

    private ScenarioArguments() {}

    /** Such as {@code --batch, 8, --amp, bf16}. */
    public static List<String> of(Scenario run) {
        ScenarioArguments arguments = new ScenarioArguments();
        arguments.sizes(run);
        arguments.optimizer(run);
        arguments.recomputation(run);
        arguments.kernels(run);
        return List.copyOf(arguments.words);
    }

    private void sizes(Scenario run) {
        option("--batch", run.batch, DEFAULTS.batch);
        run.dims.forEach((name, size) -> option("--dim", name + "=" + size, null));
        option("--accumulate", run.accumulate, DEFAULTS.accumulate);
        option("--steps", run.steps, DEFAULTS.steps);
        flag("--inference", run.inference);
    }

    private void optimizer(Scenario run) {
        if (run.optimizer != DEFAULTS.optimizer) {
            option("--optimizer", run.optimizer.option(), OptimizerKind.ADAMW);
        }
        word("--foreach", run.foreach, DEFAULTS.foreach);
        flag("--fused", run.fused);
        option("--dtype", type(run.dtype), null);
        option("--amp", type(run.amp), null);
        if (run.loss != LossKind.AUTO) {
            option("--loss", OptionNames.of(run.loss), null);
        }
        flag("--zero-grad-keep", run.zeroGradKeep);
        flag("--input-grad", run.inputGrad);
        flag("--drop-outputs", run.dropOutputs);
    }

    private void recomputation(Scenario run) {
        option("--checkpoint", run.checkpoint, DEFAULTS.checkpoint);
        run.checkpointModules.forEach(pattern -> option("--checkpoint-modules", pattern, null));
        option("--reentrant", run.reentrant, null);
    }

    private void kernels(Scenario run) {
        flag("--channels-last", run.channelsLast);
        flag("--cudnn-benchmark", run.cudnnBenchmark);
        if (run.cudnnWorkspace == null) {
            word("--cudnn-workspace", run.workspaces, DEFAULTS.workspaces);
        } else {
            option("--cudnn-workspace", run.cudnnWorkspace == 0 ? "none" : run.cudnnWorkspace, null);
        }
        word("--attention", run.attention, DEFAULTS.attention);
        option("--torch", run.torch, DEFAULTS.torch);
        option("--alloc-conf", run.allocConf, DEFAULTS.allocConf);
    }

    private static String type(DType type) {
        return type == null ? null : OptionNames.of(type);
    }

    private void word(String name, Enum<?> value, Enum<?> usual) {
        option(name, OptionNames.of(value), OptionNames.of(usual));
    }

    private void option(String name, Object value, Object usual) {
        if (value != null && !Objects.equals(value, usual)) {
            words.add(name);
            words.add(value.toString());
        }
    }

    private void flag(String name, boolean given) {
        if (given) {
            words.add(name);
        }
    }
}
