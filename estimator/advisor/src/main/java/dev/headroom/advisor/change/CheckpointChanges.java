package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;

import dev.headroom.model.scenario.Checkpointing;
import java.util.List;

/** Activation checkpointing: what the backward pass makes again in place of keeping it. */
public final class CheckpointChanges {
    /** The kind of these changes. */
    public static final String KIND = "checkpointing";

    /** Modules that a title names. */
    private static final int NAMED = 3;

    private static final String BLOCKS = "Checkpointing blocks of layers";

    /** Of all the ways to place checkpoints, those that people try first; plans have the planner's choices. */
    static final List<CatalogueEntry> ENTRIES = List.of(
            segments(2),
            segments(4),
            segments(8),
            CatalogueEntry.of(CheckpointChanges::everyBlock)
                    .notPlanned()
                    .when(s -> isOpen(s) && !s.model().blocks().isEmpty())
                    .explained("checkpoint", BLOCKS, Target.SAVED_ACTIVATIONS),
            CatalogueEntry.of(CheckpointChanges::everyLayer)
                    .notPlanned()
                    .when(s -> isOpen(s) && !s.model().leaves().isEmpty())
                    .explainedWithoutOptions(
                            "checkpoint_layers", "Checkpointing each single layer", Target.LAYER_ACTIVATIONS));

    /** For checkpoints that cut parameters off from their gradients. */
    static final Change NON_REENTRANT = Change.free(
                    KIND, "checkpoints that are not re-entrant", r -> r.with(REENTRANT, false))
            .withIntrusion(Intrusion.WORK)
            .withCode("outputs = torch.utils.checkpoint.checkpoint(block, inputs, use_reentrant=False)");

    private CheckpointChanges() {}

    /** Whether the run has no checkpoints yet. */
    static boolean isOpen(Situation s) {
        return s.trains() && !s.run().checkpointing().any();
    }

    private static CatalogueEntry segments(int segments) {
        return CatalogueEntry.of(s -> of(s.model(), what(s, segments, List.of()), List.of(), Cost.RECOMPUTATION))
                .notPlanned()
                .when(CheckpointChanges::isOpen)
                .explained("checkpoint", BLOCKS, Target.SAVED_ACTIVATIONS);
    }

    private static Change everyBlock(Situation s) {
        List<String> patterns = s.model().blocks();
        List<String> members = s.model().groups().members(patterns);
        return of(s.model(), what(s, 0, patterns), members, Cost.RECOMPUTATION);
    }

    private static Change everyLayer(Situation s) {
        List<String> layers = s.model().leaves();
        return of(s.model(), what(s, 0, layers), layers, Cost.RECOMPUTATION);
    }

    private static Checkpointing what(Situation s, int segments, List<String> modules) {
        return new Checkpointing(segments, modules, s.run().checkpointing().reentrant());
    }

    /** The switch of transformers: each layer is a checkpoint. */
    static Change everyLayerOfLibrary(Situation s) {
        return Change.free(KIND, "gradient checkpointing of every layer", r -> r.with(CHECKPOINT, 1))
                .withIntrusion(Intrusion.WORK)
                .withCost(Cost.RECOMPUTATION)
                .withCode(
                        s.run().trainer().loop().isTrainer()
                                ? "args = TrainingArguments(gradient_checkpointing=True, ...)  # the rest as it is"
                                : "model.gradient_checkpointing_enable()");
    }

    /** A choice of the planner, which names every module; the change has patterns for them. */
    static Change of(ModelFacts model, Checkpointing choice, Cost cost) {
        List<String> patterns = model.groups().patterns(choice.modules());
        Checkpointing what = new Checkpointing(choice.segments(), patterns, choice.reentrant());
        return of(model, what, choice.modules(), cost);
    }

    /** @param modules each of those that {@code what} has patterns for */
    private static Change of(ModelFacts model, Checkpointing what, List<String> modules, Cost cost) {
        return Change.free(KIND, title(what), r -> r.withCheckpointing(what))
                .withIntrusion(Intrusion.WORK)
                .withCost(cost)
                .withCode(new CheckpointCode(model).of(what, modules));
    }

    private static String title(Checkpointing what) {
        if (what.segments() > 0) {
            return "checkpointing in " + what.segments() + " segments";
        }
        List<String> modules = what.modules();
        int named = modules.size() > NAMED + 1 ? NAMED : modules.size();
        return "checkpointing " + String.join(", ", modules.subList(0, named))
                + (named < modules.size() ? " and " + (modules.size() - named) + " more" : "");
    }
}
