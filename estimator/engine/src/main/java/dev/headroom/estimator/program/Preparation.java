package dev.headroom.estimator.program;

import dev.headroom.estimator.compile.Compilation;
import dev.headroom.estimator.program.source.AssumedFunctions;
import dev.headroom.estimator.program.variables.TracedAliases;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.rewrite.InlinedRegions;
import dev.headroom.model.run.Pass;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;

/** Prepares runs for prediction: the shared passes, and those that rest on how this side reads Python's variables. */
public final class Preparation {
    private static final List<Pass> OWN = List.of(
            new Pass(
                    "put what re-entrant checkpoints run in their place",
                    (graph, run, symbols) -> CheckpointPlan.withoutBodies(graph)),
            new Pass(
                    "put the bodies of regions without gradients or with autocast in their place",
                    (graph, run, symbols) -> run.kernels().compile() ? graph : InlinedRegions.of(graph)),
            new Pass(
                    "run custom functions of autograd without it",
                    (graph, run, symbols) ->
                            run.kernels().compile() || run.loop().inference() ? graph : AssumedFunctions.put(graph)),
            new Pass(
                    "say what values are like where their parts are to be found",
                    (graph, run, symbols) ->
                            run.parallel().kind().isTensor() ? ValueShape.describe(graph, symbols) : graph),
            new Pass(
                    "make parameters that are tied two where they are shared module by module",
                    (graph, run, symbols) -> untied(graph, run.parallel())),
            new Pass(
                    "let readers read what the program reads where values change their type",
                    (graph, run, symbols) -> ModelTypes.of(graph, run).mixed() ? TracedAliases.undo(graph) : graph),
            new Pass(
                    "copy literals to the device where the program makes them there",
                    (graph, run, symbols) -> LiteralTensors.copied(graph)),
            new Pass(
                    "project what hooks make three objects one by one",
                    (graph, run, symbols) ->
                            run.parallel().kind() == ParallelKind.ZERO3 ? UnpackedAttention.of(graph) : graph),
            new Pass("compile", Preparation::compiled));

    private Preparation() {}

    private static Graph compiled(Graph graph, Scenario run, Map<String, Long> symbols) {
        ModelTypes types = ModelTypes.of(graph, run);
        return Compilation.of(graph, run, symbols, part -> types.mixed() ? new TracedTypes(part, types) : null);
    }

    /**
     * A run that the loop can play.
     *
     * @throws dev.headroom.model.error.UserInputException as {@link PreparedRun#of}
     */
    public static PreparedRun of(Graph imported, Scenario scenario) {
        return PreparedRun.of(imported, scenario, OWN);
    }

    /**
     * Nobody ties them again once {@code fully_shard} has them; {@code param_init_fn} of the first kind makes a model's
     * tensors module by module (torch/nn/modules/module.py, to_empty).
     */
    private static Graph untied(Graph graph, Parallelism parallel) {
        boolean shares = parallel.kind() == ParallelKind.TP_FSDP2;
        if (parallel.build() == Parallelism.Build.META && (shares || parallel.kind() == ParallelKind.FSDP1)) {
            return UntiedParameters.untie(graph);
        }
        return shares ? UntiedParameters.readApart(graph) : graph;
    }
}
