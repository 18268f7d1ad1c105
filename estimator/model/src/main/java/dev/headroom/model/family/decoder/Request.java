package dev.headroom.model.family.decoder;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.trainer.LoopKind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a family: a config, and how its model is used.
 *
 * @param step the pass of {@code generate()} that is written; {@code null} for one that is no part of it
 */
public record Request(
        ModelConfig config, Scenario scenario, @Nullable CacheStep step) {
    /** The batch size of a graph. */
    public static final SymExpr BATCH = SymExpr.symbol("batch");

    /** The length of a graph's sequences. */
    public static final SymExpr SEQ = SymExpr.symbol("seq");

    /** A pass on its own. */
    public Request(ModelConfig config, Scenario scenario) {
        this(config, scenario, null);
    }

    /** A pass of {@code generate()}, whose decoding computes experts in another way (generation/utils.py). */
    public Request at(CacheStep other) {
        boolean grouped = options().experts() == ModelOptions.Experts.AUTO
                || options().experts() == ModelOptions.Experts.GROUPED_MM;
        Scenario run = grouped && !other.prompt()
                ? scenario.withModel(options().withExperts(ModelOptions.Experts.BATCHED_MM))
                : scenario;
        return new Request(config, run, other);
    }

    /** The pass of {@code generate()}, of one that is part of it. */
    CacheStep stepOrFail() {
        return Objects.requireNonNull(step, "no pass of generate()");
    }

    /** Tokens of a sequence that go through the model. */
    public SymExpr length() {
        return step == null ? SEQ : step.queries();
    }

    /** What shapes the graph; the batches of trl's SFTTrainer bring a mask (trainer/sft_trainer.py, its collator). */
    public ModelOptions options() {
        ModelOptions asked = scenario.model();
        boolean masked = scenario.trainer().loop() == LoopKind.SFT && asked.mask() == ModelOptions.Mask.NONE;
        return masked ? asked.withMask(ModelOptions.Mask.FULL) : asked;
    }

    /** Whether the model is in training mode. */
    public boolean training() {
        return !scenario.loop().inference();
    }

    /** Whether the model is given labels, so that it returns a loss. */
    public boolean labelled() {
        LossKind loss = scenario.loop().loss();
        return training() && (loss == LossKind.AUTO || loss == LossKind.OUTPUT);
    }

    /** The same of a model whose class has no other attention than one in plain operators. */
    public Request eagerly() {
        return new Request(config, scenario.with(ScenarioSettings.ATTENTION, Scenario.Attention.EAGER), step);
    }

    /** Whether attention is computed in plain operators. */
    public boolean eager() {
        return scenario.kernels().attention() == Scenario.Attention.EAGER;
    }

    /** Whether outputs hold keys and values; checkpointing layers switches it off. */
    public boolean caches() {
        return options().useCache() && !(training() && scenario.checkpointing().any());
    }

    /** Tokens whose keys and values the model is given. */
    public long prefix() {
        return scenario.adapters().prefixTokens();
    }

    /** The type of the weights. */
    public DType type() {
        DType asked = scenario.precision().dtype();
        return asked == null ? config.dtype() : asked;
    }

    /** Tokens of a sequence, with those that are trained before it. */
    public long seq() {
        Long given = options().seq();
        if (given == null) {
            throw new UserInputException("the model's sequence length is open: pass `seq=N`");
        }
        return given + scenario.adapters().virtualTokens();
    }
}
