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
        if (adam && run.torch().compareTo(OptimizerKind.ADAFACTOR.since()) >= 0) {
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
        if (kind.quantised()) {
            code.add("import bitsandbytes as bnb");
        }
        code.add("optimizer = " + constructor(kind, ""));
        return new Change(
                "optimizer", title(kind), Intrusion.OPTIMIZER, Cost.NONE, code, List.of(effect(kind)), run -> run.with(
                                OPTIMIZER, kind)
                        .with(FUSED, run.optimizer().fused() && kind.fusesIn(run.torch())));
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
        StringBuilder call = new StringBuilder(kind.constructor() + "(model.parameters(), lr=lr");
        for (String each : List.of(kind.argument(), argument)) {
            call.append(each.isEmpty() ? "" : ", " + each);
        }
        return call + ")";
    }
}
