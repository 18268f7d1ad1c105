package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.OptimizerKind.ADAFACTOR;
import static dev.headroom.model.scenario.OptimizerKind.ADAM;
import static dev.headroom.model.scenario.OptimizerKind.ADAMW;
import static dev.headroom.model.scenario.OptimizerKind.ADAMW_8BIT;
import static dev.headroom.model.scenario.OptimizerKind.ADAM_8BIT;
import static dev.headroom.model.scenario.OptimizerKind.NONE;
import static dev.headroom.model.scenario.OptimizerKind.PAGED_ADAMW_8BIT;
import static dev.headroom.model.scenario.OptimizerKind.RMSPROP;
import static dev.headroom.model.scenario.OptimizerKind.SGD;
import static dev.headroom.model.scenario.OptimizerKind.SGD_MOMENTUM;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.trainer.OptimNames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Optimizers with less state, the nearest to the present one first. */
final class OptimizerChanges {
    static final String KIND = "optimizer";

    static final List<CatalogueEntry> ENTRIES = List.of(
            quantized(ADAM, ADAM_8BIT, "Adam with 8-bit state"),
            quantized(ADAMW, ADAMW_8BIT, "AdamW with 8-bit state"),
            to(
                    PAGED_ADAMW_8BIT,
                    "AdamW with paged 8-bit state",
                    "both moments are kept in 8 bits in memory that the driver moves to the host when the card is"
                            + " full (bitsandbytes)",
                    s -> s.tunes() && (s.optimizer() == ADAMW || s.optimizer() == ADAMW_8BIT)),
            to(
                    ADAFACTOR,
                    "Adafactor",
                    "second moments are kept as row and column sums, there are no first moments;"
                            + " other learning rates suit",
                    s -> isAdam(s) && s.torch().compareTo(ADAFACTOR.since()) >= 0),
            to(
                    SGD_MOMENTUM,
                    "SGD with momentum",
                    "one moment in place of two and no scaling by gradients' size; tune the learning rate",
                    s -> isAdam(s)
                            || s.optimizer() == RMSPROP
                                    && s.run().optimizer().options().momentum()),
            to(
                    SGD,
                    "SGD without momentum",
                    "no moments at all; tune the learning rate",
                    s -> s.optimizer() != SGD && s.optimizer() != NONE));

    private OptimizerChanges() {}

    private static boolean isAdam(Situation s) {
        return s.optimizer() == ADAM || s.optimizer() == ADAMW;
    }

    private static CatalogueEntry quantized(OptimizerKind from, OptimizerKind to, String title) {
        String effect = "both moments are kept in 8 bits, quantized block by block (bitsandbytes)";
        return to(to, title, effect, s -> s.optimizer() == from)
                .explained("adam8bit", "8-bit optimizer of bitsandbytes", Target.OPTIMIZER_STATE);
    }

    private static CatalogueEntry to(
            OptimizerKind kind, String title, String effect, Predicate<Situation> hasLessState) {
        return CatalogueEntry.of(s -> Change.free(KIND, title, r -> r.with(OPTIMIZER, kind)
                                .with(FUSED, r.optimizer().fused() && kind.fusesIn(r.torch()))
                                .with(FOREACH, kind.isOfTorch() ? r.optimizer().foreach() : Scenario.Foreach.AUTO))
                        .withIntrusion(Intrusion.OPTIMIZER)
                        .withCode(code(s, kind))
                        .withEffect(effect))
                .when(s -> s.trains() && hasLessState.test(s));
    }

    private static List<String> code(Situation s, OptimizerKind kind) {
        String name = OptimNames.of(kind.option()).orElse("");
        if (s.run().trainer().loop().isTrainer() && !name.isEmpty()) {
            return List.of("args = TrainingArguments(optim=\"" + name + "\", ...)  # the rest as it is");
        }
        List<String> code = new ArrayList<>();
        if (!kind.module().isEmpty()) {
            code.add(kind.module());
        }
        code.add("optimizer = " + constructor(kind, ""));
        return code;
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
