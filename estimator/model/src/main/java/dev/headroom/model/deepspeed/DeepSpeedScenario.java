package dev.headroom.model.deepspeed;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.ZeroOptions;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.ParallelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.units.OptionNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Puts what DeepSpeed's JSON says into a scenario, where options say nothing else. */
public final class DeepSpeedScenario {
    private DeepSpeedScenario() {}

    /**
     * The scenario with what its JSON adds.
     *
     * @throws UserInputException where an option and the JSON disagree
     */
    public static Scenario complete(Scenario run) {
        String json = run.parallel().zero().dsConfig();
        if (json.equals(ZeroOptions.DEFAULTS.dsConfig())) {
            return run;
        }
        DeepSpeedConfig config = DeepSpeedConfig.parse(json);
        Training training = config.training();
        Scenario out = stage(run, config.zero().stage());
        out = agreed(out, ScenarioSettings.DTYPE, training.type(), OptionNames::of);
        out = optimizer(out, training);
        return sizes(out, training);
    }

    private static Scenario stage(Scenario run, @Nullable Integer stage) {
        if (stage == null) {
            return run;
        }
        ParallelKind kind =
                switch (stage) {
                    case 1 -> ParallelKind.ZERO1;
                    case 2 -> ParallelKind.ZERO2;
                    case 3 -> ParallelKind.ZERO3;
                    default ->
                        throw new UserInputException(
                                "`ds_config`: zero_optimization.stage is 0, which divides nothing; `parallel=ddp` is"
                                        + " like it");
                };
        return agreed(run, ParallelSettings.PARALLEL, kind, ParallelKind::option);
    }

    private static Scenario optimizer(Scenario run, Training training) {
        Scenario out = agreed(run, ScenarioSettings.OPTIMIZER, training.optimizer(), kind -> kind.option());
        boolean own = training.fusedOptimizer()
                && run.optimizer().foreach() == Scenario.defaults().optimizer().foreach();
        return own ? out.with(ScenarioSettings.FUSED, true) : out;
    }

    /** Two of the batches of a rank, of all ranks, and the passes of a step give the third (runtime/config.py). */
    private static Scenario sizes(Scenario run, Training t) {
        long world = run.parallel().world();
        Long passes = t.passes();
        Long batch = t.batch();
        if (t.wholeBatch() != null) {
            if (batch == null) {
                passes = passes == null ? Long.valueOf(1) : passes;
                batch = quotient(t.wholeBatch(), passes * world);
            } else if (passes == null) {
                passes = quotient(t.wholeBatch(), batch * world);
            }
            if (batch * passes * world != t.wholeBatch()) {
                throw new UserInputException("`ds_config`: train_batch_size is " + t.wholeBatch() + ", but " + batch
                        + " of a rank, " + passes + " passes and " + world + " ranks make " + batch * passes * world);
            }
        }
        Scenario out = agreed(run, ScenarioSettings.BATCH, batch, String::valueOf);
        return agreed(
                out, ScenarioSettings.ACCUMULATE, passes == null ? null : Math.toIntExact(passes), String::valueOf);
    }

    private static long quotient(long whole, long part) {
        if (whole % part != 0) {
            throw new UserInputException(
                    "`ds_config`: train_batch_size is " + whole + ", which cannot be divided by " + part);
        }
        return whole / part;
    }

    private static <T> Scenario agreed(
            Scenario run, Setting<T> setting, @Nullable T value, java.util.function.Function<T, String> word) {
        T given = setting.get(run);
        if (value == null || Objects.equals(given, value)) {
            return run;
        }
        if (!Objects.equals(given, setting.get(Scenario.defaults()))) {
            throw new UserInputException(new Mention(setting.key(), null) + " is " + word.apply(given)
                    + ", but `ds_config` says " + word.apply(value) + "; leave one of them out");
        }
        return run.with(setting, value);
    }
}
