package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Optimizers with less state, the nearest to the present one first. */
final class OptimizerChanges {
    private OptimizerChanges() {}

    /** Those that have less state than the run's. */
    static List<Change> of(Scenario run) {
        List<Change> out = new ArrayList<>();
        if (run.loop().inference()) {
            return out;
        }
        boolean adam =
                run.optimizer().kind() == OptimizerKind.ADAM || run.optimizer().kind() == OptimizerKind.ADAMW;
        if (run.optimizer().kind() == OptimizerKind.ADAM) {
            out.add(to(OptimizerKind.ADAM_8BIT));
        } else if (run.optimizer().kind() == OptimizerKind.ADAMW) {
            out.add(to(OptimizerKind.ADAMW_8BIT));
        }
        if (adam && run.torch().hasAdafactor()) {
            out.add(to(OptimizerKind.ADAFACTOR));
        }
        if (adam
                || run.optimizer().kind() == OptimizerKind.RMSPROP
                        && run.optimizer().options().momentum()) {
            out.add(to(OptimizerKind.SGD_MOMENTUM));
        }
        if (run.optimizer().kind() != OptimizerKind.SGD && run.optimizer().kind() != OptimizerKind.NONE) {
            out.add(to(OptimizerKind.SGD));
        }
        return out;
    }

    private static Change to(OptimizerKind kind) {
        List<String> code = new ArrayList<>();
        if (coarse(kind)) {
            code.add("import bitsandbytes as bnb");
        }
        code.add("optimizer = " + constructor(kind, ""));
        return new Change(
                "optimizer", title(kind), Intrusion.OPTIMIZER, Cost.NONE, code, List.of(effect(kind)), run -> run.with(
                                OPTIMIZER, kind)
                        .with(FUSED, run.optimizer().fused() && run.torch().hasFused(kind)));
    }

    /** Whether the state is quantized. */
    static boolean coarse(OptimizerKind kind) {
        return kind == OptimizerKind.ADAM_8BIT || kind == OptimizerKind.ADAMW_8BIT;
    }

    private static String title(OptimizerKind kind) {
        return switch (kind) {
            case ADAM_8BIT -> "Adam with 8-bit state";
            case ADAMW_8BIT -> "AdamW with 8-bit state";
            case ADAFACTOR -> "Adafactor";
            case SGD_MOMENTUM -> "SGD with momentum";
            default -> "SGD without momentum";
        };
    }

    private static String effect(OptimizerKind kind) {
        return switch (kind) {
            case ADAM_8BIT, ADAMW_8BIT -> "both moments are kept in 8 bits, quantized block by block (bitsandbytes)";
            case ADAFACTOR ->
                "second moments are kept as row and column sums, there are no first moments; other learning rates suit";
            case SGD_MOMENTUM -> "one moment in place of two and no scaling by gradients' size; tune the learning rate";
            default -> "no moments at all; tune the learning rate";
        };
    }

    /** The call that makes an optimizer, with a further argument or "". */
    static String constructor(OptimizerKind kind, String argument) {
        String name =
                switch (kind) {
                    case SGD, SGD_MOMENTUM -> "torch.optim.SGD";
                    case ADAM -> "torch.optim.Adam";
                    case ADAMW -> "torch.optim.AdamW";
                    case RMSPROP -> "torch.optim.RMSprop";
                    case ADAGRAD -> "torch.optim.Adagrad";
                    case ADAFACTOR -> "torch.optim.Adafactor";
                    case ADAM_8BIT -> "bnb.optim.Adam8bit";
                    case ADAMW_8BIT -> "bnb.optim.AdamW8bit";
                    case NONE -> throw new IllegalArgumentException("no optimizer");
                };
        String momentum = kind == OptimizerKind.SGD_MOMENTUM ? ", momentum=0.9" : "";
        return name + "(model.parameters(), lr=lr" + momentum + (argument.isEmpty() ? "" : ", " + argument) + ")";
    }
}
