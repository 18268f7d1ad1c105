package dev.headroom.estimator.compile;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Kernels.CompileMode;
import dev.headroom.model.scenario.Scenario;

/** What {@code --compile} cannot be combined with yet. */
final class Refusals {
    private Refusals() {}

    static void check(Graph graph, Scenario run) {
        requireCompiled(run, run.kernels().compileBudget() != null, "`compile_budget`");
        requireCompiled(run, run.kernels().compileMode() != CompileMode.DEFAULT, "`compile_mode`");
        requireCompiled(run, run.kernels().compileDynamic(), "`compile_dynamic`");
        requireCompiled(run, run.kernels().compileRegions(), "`compile_regions`");
        if (!run.kernels().compile()) {
            return;
        }
        if (CompiledGraph.in(graph)) {
            throw new UserInputException("`compile` does not go with a plan: it is of compiled code already");
        }
        refuse(run.parallel().kind() != ParallelKind.SINGLE, "`parallel`");
        refuse(run.adapters().any(), "adapters (`lora` and others)");
        refuse(run.quant().any(), "`quant`");
        boolean split = run.checkpointing().segments() > 0 && !CheckpointPlan.hasSwitch(graph);
        refuse(split, "segments of `checkpoint`, which break its graph");
        refuse(run.checkpointing().offload(), "`checkpoint_offload`");
        refuse(run.kernels().channelsLast3d(), "`channels_last_3d`");
        refuse(graph.loop() != null, "a loop of its own");
        refuse(run.generation().any(), "`generate`");
    }

    private static void requireCompiled(Scenario run, boolean asked, String option) {
        if (asked && !run.kernels().compile()) {
            throw new UserInputException(option + " is of `compile`, which is not asked for");
        }
    }

    private static void refuse(boolean asked, String what) {
        if (asked) {
            throw new UserInputException(
                    "`compile` does not go with " + what + " yet; leave one of them out, or predict a plan of the"
                            + " compiled model (`export_help_compile`)");
        }
    }
}
