package dev.headroom.model.family.decoder;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.ModelOptions;
import dev.headroom.model.scenario.Scenario;

/** What is asked of a family: a config, and how its model is used. */
public record Request(ModelConfig config, Scenario scenario) {
    /** The batch size of a graph. */
    public static final SymExpr BATCH = SymExpr.symbol("batch");

    /** The length of a graph's sequences. */
    public static final SymExpr SEQ = SymExpr.symbol("seq");

    /** What shapes the graph. */
    public ModelOptions options() {
        return scenario.model();
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

    /** Whether attention is computed in plain operators. */
    public boolean eager() {
        return scenario.kernels().attention() == Scenario.Attention.EAGER;
    }

    /** Whether outputs hold keys and values; checkpointing layers switches it off. */
    public boolean caches() {
        return options().useCache() && !(training() && scenario.checkpointing().any());
    }

    /** The type of the weights. */
    public DType type() {
        DType asked = scenario.precision().dtype();
        return asked == null ? config.dtype() : asked;
    }

    /** Tokens of a sequence. */
    public long seq() {
        Long given = options().seq();
        if (given == null) {
            throw new UserInputException("the model's sequence length is open: pass --seq N");
        }
        return given;
    }
}
