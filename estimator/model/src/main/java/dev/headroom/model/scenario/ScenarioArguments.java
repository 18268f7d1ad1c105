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
    private static final Scenario DEFAULTS = Scenario.defaults();

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
        option("--batch", run.sizes().batch(), DEFAULTS.sizes().batch());
        run.sizes().dims().forEach((name, size) -> option("--dim", name + "=" + size, null));
        option("--accumulate", run.loop().accumulate(), DEFAULTS.loop().accumulate());
        option("--steps", run.loop().steps(), DEFAULTS.loop().steps());
        flag("--inference", run.loop().inference());
    }

    private void optimizer(Scenario run) {
        if (run.optimizer().kind() != DEFAULTS.optimizer().kind()) {
            option("--optimizer", run.optimizer().kind().option(), OptimizerKind.ADAMW);
        }
        word("--foreach", run.optimizer().foreach(), DEFAULTS.optimizer().foreach());
        flag("--fused", run.optimizer().fused());
        option("--dtype", type(run.precision().dtype()), null);
        option("--amp", type(run.precision().amp()), null);
        if (run.loop().loss() != LossKind.AUTO) {
            option("--loss", OptionNames.of(run.loop().loss()), null);
        }
        flag("--zero-grad-keep", run.loop().zeroGradKeep());
        flag("--input-grad", run.loop().inputGrad());
        flag("--drop-outputs", run.loop().dropOutputs());
    }

    private void recomputation(Scenario run) {
        option(
                "--checkpoint",
                run.checkpointing().segments(),
                DEFAULTS.checkpointing().segments());
        run.checkpointing().modules().forEach(pattern -> option("--checkpoint-modules", pattern, null));
        option("--reentrant", run.checkpointing().reentrant(), null);
    }

    private void kernels(Scenario run) {
        flag("--channels-last", run.kernels().channelsLast());
        flag("--cudnn-benchmark", run.kernels().cudnnBenchmark());
        if (run.kernels().cudnnWorkspace().bytes() == null) {
            word(
                    "--cudnn-workspace",
                    run.kernels().cudnnWorkspace().source(),
                    DEFAULTS.kernels().cudnnWorkspace().source());
        } else {
            option(
                    "--cudnn-workspace",
                    run.kernels().cudnnWorkspace().bytes() == 0
                            ? "none"
                            : run.kernels().cudnnWorkspace().bytes(),
                    null);
        }
        word("--attention", run.kernels().attention(), DEFAULTS.kernels().attention());
        option("--torch", run.torch(), DEFAULTS.torch());
        option("--alloc-conf", run.allocConf(), DEFAULTS.allocConf());
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
