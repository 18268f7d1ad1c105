package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.count;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/** The arguments of optimizers' constructors: rows of the table that {@link ScenarioSettings} is. */
public final class OptimizerSettings {
    private static final int MOST_MOVES = 1_000;
    private static final String NO_SUCH = "the optimizer has no such argument";

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<OptimizerOptions> ARGUMENTS = new ScenarioPart<>(
                    Scenario::optimizer, Scenario::withOptimizer)
            .part(OptimizerChoice::options, OptimizerChoice::withOptions);

    public static final Setting<Boolean> WEIGHT_DECAY = argument(
            Setting.of("weight_decay", ARGUMENTS, OptimizerOptions::weightDecay, OptimizerOptions::withWeightDecay),
            "A weight decay other than 0, which most optimizers add to fresh gradients.",
            OptimizerKind::decays);

    public static final Setting<Boolean> NESTEROV = argument(
            Setting.of("nesterov", ARGUMENTS, OptimizerOptions::nesterov, OptimizerOptions::withNesterov),
            "Nesterov's momentum, of sgd-momentum.",
            kind -> kind == OptimizerKind.SGD_MOMENTUM);

    public static final Setting<Boolean> AMSGRAD = argument(
            Setting.of("amsgrad", ARGUMENTS, OptimizerOptions::amsgrad, OptimizerOptions::withAmsgrad),
            "Keeps the largest second moments, of adam and adamw.",
            kind -> kind == OptimizerKind.ADAM || kind == OptimizerKind.ADAMW);

    public static final Setting<Boolean> MOMENTUM = argument(
            Setting.of("momentum", ARGUMENTS, OptimizerOptions::momentum, OptimizerOptions::withMomentum),
            "A momentum other than 0, of rmsprop; SGD's is sgd-momentum.",
            kind -> kind == OptimizerKind.RMSPROP);

    public static final Setting<Boolean> CENTERED = argument(
            Setting.of("centered", ARGUMENTS, OptimizerOptions::centered, OptimizerOptions::withCentered),
            "Divides by an estimate of the variance, of rmsprop.",
            kind -> kind == OptimizerKind.RMSPROP);

    public static final Setting<Boolean> MAXIMIZE = argument(
            Setting.of("maximize", ARGUMENTS, OptimizerOptions::maximize, OptimizerOptions::withMaximize),
            "Maximizes the loss: steps work with negated gradients.",
            OptimizerKind::isOfTorch);

    public static final Setting<Integer> MAX_ITER = row(Setting.of(
                    "max_iter", ARGUMENTS, OptimizerOptions::maxIterations, OptimizerOptions::withMaxIterations)
            .written(count(MOST_MOVES), "N", "How often a step of lbfgs moves (20): it evaluates the model as often.")
            .onlyIf(s -> s.optimizer().kind() == OptimizerKind.LBFGS, NO_SUCH));

    public static final Setting<Integer> HISTORY_SIZE = row(Setting.of(
                    "history_size", ARGUMENTS, OptimizerOptions::history, OptimizerOptions::withHistory)
            .written(count(MOST_MOVES), "N", "Moves that lbfgs remembers (100): two copies of all parameters each.")
            .onlyIf(s -> s.optimizer().kind() == OptimizerKind.LBFGS, NO_SUCH));

    private OptimizerSettings() {}

    /** A row for an argument of optimizers' constructors. */
    private static Setting<Boolean> argument(Setting<Boolean> setting, String help, Predicate<OptimizerKind> takes) {
        return row(setting.written(FLAG, "", help)
                .trainsWith(given -> given)
                .onlyIf(s -> takes.test(s.optimizer().kind()), NO_SUCH));
    }

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every argument, in the order of the table. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }
}
