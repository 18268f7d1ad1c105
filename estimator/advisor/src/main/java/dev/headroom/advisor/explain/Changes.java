package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import dev.headroom.estimator.runtime.Category;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What a run leaves to change: the candidates that simulation sorts into those that help and those that do not. */
final class Changes {
    /** The key of a smaller batch. */
    static final String HALF_BATCH = "batch";

    /** Less than a fourth of the peak says why taking it away does little. */
    private static final int FEW = 4;

    private final ExplainedRun story;
    private final Scenario run;
    private final Graph graph;
    private final List<Change> all = new ArrayList<>();

    private Changes(ExplainedRun story, Graph graph) {
        this.story = story;
        this.run = story.run();
        this.graph = graph;
    }

    static List<Change> of(ExplainedRun story, Graph graph) {
        Changes changes = new Changes(story, graph);
        boolean training = !story.run().loop().inference();
        if (training) {
            changes.checkpoints();
        }
        changes.batch();
        changes.precision();
        if (training) {
            changes.gradients();
            changes.optimizer();
            changes.outputs();
        }
        return changes.all;
    }

    private void add(String key, String name, UnaryOperator<Scenario> set, String otherwise) {
        all.add(new Change(key, name, set, otherwise));
    }

    private void checkpoints() {
        if (run.checkpointing().any()) {
            return;
        }
        boolean few = bytes(Category.SAVED_ACTIVATIONS) * FEW < story.peak().allocated();
        String little = few ? "of the peak " + at(Category.SAVED_ACTIVATIONS) + " saved activations" : "";
        String blocks = "Checkpointing blocks of layers ";
        for (int segments : new int[] {2, 4, 8}) {
            add("checkpoint", blocks + "(--checkpoint " + segments + ")", r -> r.with(CHECKPOINT, segments), little);
        }
        List<String> numbered = Modules.blocks(graph);
        if (!numbered.isEmpty()) {
            add(
                    "checkpoint",
                    blocks + "(" + patterns(numbered) + ")",
                    r -> r.with(CHECKPOINT_MODULES, numbered),
                    little);
        }
        List<String> leaves = Modules.leaves(graph);
        if (!leaves.isEmpty()) {
            add(
                    "checkpoint_layers",
                    "Checkpointing each single layer",
                    r -> r.with(CHECKPOINT_MODULES, leaves),
                    "a checkpoint keeps its input, as the layer does");
        }
    }

    private void precision() {
        if (run.precision().amp() == null
                && (run.precision().dtype() == null || run.precision().dtype() == DType.FLOAT32)) {
            long fixed = bytes(Category.PARAMETERS) + bytes(Category.GRADIENTS) + bytes(Category.OPTIMIZER_STATE);
            String stay = (run.loop().inference() ? "parameters, " : "parameters, gradients and state, ")
                    + Words.size(fixed) + ", keep their type, and weights are copied";
            add("amp", "Autocast (--amp bf16)", r -> r.with(AMP, DType.BFLOAT16), stay);
        }
    }

    private void batch() {
        if (run.sizes().batch() == null || run.sizes().batch() < 2 || !SymbolBinding.hasBatch(graph)) {
            return;
        }
        long half = run.sizes().batch() / 2;
        int passes = run.loop().inference() ? 1 : run.loop().accumulate() * 2;
        String name = run.loop().inference()
                ? "Half the batch (--batch " + half + ")"
                : "Half the batch, twice the passes (--batch " + half + " --accumulate " + passes + ")";
        String fixed = "what makes the peak does not depend on the batch";
        add(HALF_BATCH, name, r -> r.with(BATCH, half).with(ACCUMULATE, passes), fixed);
    }

    private void gradients() {
        if (run.loop().zeroGradKeep() && !story.zeroGradAlwaysKeeps()) {
            String these = "those at the peak are of this step";
            add(
                    "set_to_none",
                    "zero_grad(set_to_none=True), without --zero-grad-keep",
                    r -> r.with(ZERO_GRAD_KEEP, false),
                    these);
        }
    }

    private void optimizer() {
        boolean adam =
                run.optimizer().kind() == OptimizerKind.ADAM || run.optimizer().kind() == OptimizerKind.ADAMW;
        if (adam) {
            OptimizerKind small =
                    run.optimizer().kind() == OptimizerKind.ADAM ? OptimizerKind.ADAM_8BIT : OptimizerKind.ADAMW_8BIT;
            add(
                    "adam8bit",
                    "8-bit optimizer of bitsandbytes (--optimizer " + small.option() + ")",
                    r -> r.with(OPTIMIZER, small).with(FUSED, false),
                    "of the peak " + at(Category.OPTIMIZER_STATE) + " optimizer state");
        }
        boolean lists = run.optimizer().foreach() != Scenario.Foreach.FALSE
                && !run.optimizer().fused()
                && run.optimizer().kind() != OptimizerKind.NONE
                && run.torch().foreachByDefault();
        if (lists) {
            Phase phase = story.peak().phase().phase();
            String gone = phase == Phase.OPTIMIZER ? "" : "the peak is in " + phase;
            add("foreach", "For-loop optimizer (--foreach false)", r -> r.with(FOREACH, Scenario.Foreach.FALSE), gone);
        }
    }

    private void outputs() {
        if (!run.loop().dropOutputs()) {
            long old = AliveAt.bornBefore(story.peak().holdings(Category.OUTPUTS), story.stepBegins());
            String needed = old == 0
                    ? "at the peak none of the step before are alive"
                    : "of the step before only " + Words.size(old) + " are alive at the peak";
            add("del", "del outputs, loss (--drop-outputs)", r -> r.with(DROP_OUTPUTS, true), needed);
        }
    }

    private static String patterns(List<String> modules) {
        return modules.stream().map(m -> "--checkpoint-modules '" + m + "'").collect(Collectors.joining(" "));
    }

    private long bytes(Category c) {
        return story.peak().bytes(c);
    }

    /** {@code 1.20 GiB (3 %) are}, or {@code none is}. */
    private String at(Category c) {
        String share = Words.share(bytes(c), story.peak().allocated());
        return bytes(c) == 0 ? "none is" : Words.size(bytes(c)) + " (" + share + ") are";
    }
}
