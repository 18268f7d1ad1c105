package dev.headroom.advisor.explain;

import dev.headroom.estimator.runtime.Category;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What a run leaves to change: the candidates that simulation sorts into those that help and those that do not. */
final class Changes {
    /** The key of a smaller batch. */
    static final String BATCH = "batch";

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
        boolean training = !story.run().inference;
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

    private void add(String key, String name, Consumer<Scenario> set, String otherwise) {
        all.add(new Change(key, name, set, otherwise));
    }

    private void checkpoints() {
        if (run.checkpoint > 0 || !run.checkpointModules.isEmpty()) {
            return;
        }
        boolean few = bytes(Category.SAVED_ACTIVATIONS) * FEW < story.peak().allocated();
        String little = few ? "of the peak " + at(Category.SAVED_ACTIVATIONS) + " saved activations" : "";
        String blocks = "Checkpointing blocks of layers ";
        for (int segments : new int[] {2, 4, 8}) {
            add("checkpoint", blocks + "(--checkpoint " + segments + ")", r -> r.checkpoint = segments, little);
        }
        List<String> numbered = Modules.blocks(graph);
        if (!numbered.isEmpty()) {
            add("checkpoint", blocks + "(" + patterns(numbered) + ")", r -> r.checkpointModules = numbered, little);
        }
        List<String> leaves = Modules.leaves(graph);
        if (!leaves.isEmpty()) {
            add(
                    "checkpoint_layers",
                    "Checkpointing each single layer",
                    r -> r.checkpointModules = leaves,
                    "a checkpoint keeps its input, as the layer does");
        }
    }

    private void precision() {
        if (run.amp == null && (run.dtype == null || run.dtype == DType.FLOAT32)) {
            long fixed = bytes(Category.PARAMETERS) + bytes(Category.GRADIENTS) + bytes(Category.OPTIMIZER_STATE);
            String stay = (run.inference ? "parameters, " : "parameters, gradients and state, ") + Words.size(fixed)
                    + ", keep their type, and weights are copied";
            add("amp", "Autocast (--amp bf16)", r -> r.amp = DType.BFLOAT16, stay);
        }
    }

    private void batch() {
        if (run.batch == null || run.batch < 2 || !SymbolBinding.hasBatch(graph)) {
            return;
        }
        long half = run.batch / 2;
        int passes = run.inference ? 1 : run.accumulate * 2;
        String name = run.inference
                ? "Half the batch (--batch " + half + ")"
                : "Half the batch, twice the passes (--batch " + half + " --accumulate " + passes + ")";
        String fixed = "what makes the peak does not depend on the batch";
        add(
                BATCH,
                name,
                r -> {
                    r.batch = half;
                    r.accumulate = passes;
                },
                fixed);
    }

    private void gradients() {
        if (run.zeroGradKeep && !story.zeroGradAlwaysKeeps()) {
            String these = "those at the peak are of this step";
            add(
                    "set_to_none",
                    "zero_grad(set_to_none=True), without --zero-grad-keep",
                    r -> r.zeroGradKeep = false,
                    these);
        }
    }

    private void optimizer() {
        boolean adam = run.optimizer == OptimizerKind.ADAM || run.optimizer == OptimizerKind.ADAMW;
        if (adam) {
            OptimizerKind small =
                    run.optimizer == OptimizerKind.ADAM ? OptimizerKind.ADAM_8BIT : OptimizerKind.ADAMW_8BIT;
            add(
                    "adam8bit",
                    "8-bit optimizer of bitsandbytes (--optimizer " + small.option() + ")",
                    r -> {
                        r.optimizer = small;
                        r.fused = false;
                    },
                    "of the peak " + at(Category.OPTIMIZER_STATE) + " optimizer state");
        }
        boolean lists = run.foreach != Scenario.Foreach.FALSE
                && !run.fused
                && run.optimizer != OptimizerKind.NONE
                && TorchVersion.of(run.torch).foreachByDefault();
        if (lists) {
            Phase phase = story.peak().phase().phase();
            String gone = phase == Phase.OPTIMIZER ? "" : "the peak is in " + phase;
            add("foreach", "For-loop optimizer (--foreach false)", r -> r.foreach = Scenario.Foreach.FALSE, gone);
        }
    }

    private void outputs() {
        if (!run.dropOutputs) {
            long old = AliveAt.bornBefore(story.peak().holdings(Category.OUTPUTS), story.stepBegins());
            String needed = old == 0
                    ? "at the peak none of the step before are alive"
                    : "of the step before only " + Words.size(old) + " are alive at the peak";
            add("del", "del outputs, loss (--drop-outputs)", r -> r.dropOutputs = true, needed);
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
