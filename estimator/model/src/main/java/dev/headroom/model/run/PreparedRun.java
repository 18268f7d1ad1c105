package dev.headroom.model.run;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.rewrite.AssignedNumbers;
import dev.headroom.model.rewrite.InputGradients;
import dev.headroom.model.rewrite.SkippedMasks;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A graph made ready for a scenario. All that depends on both is decided here, once; the loops of prediction and
 * measurement only run what they are given.
 *
 * <pre>
 *  imported graph ┐
 *       scenario ─┴→ bind symbols → shared passes → passes of one side → checkpoint regions
 *                                   (what exporting   (names under other     (plan)
 *                                    changed)          types, inlining)
 *
 *  PreparedRun ┬→ estimator.loop ─→ Simulation  → Prediction
 *              └→ executor.train ─→ Measurement
 * </pre>
 *
 * Passes that read a graph's meaning out of Python's source lines stay on either side, as the lifetimes of values do:
 * the two computations are to agree without having learned from each other.
 *
 * @param graph after all passes
 * @param scenario that it was made ready for
 * @param symbols a value for each of the graph's
 * @param plan what is recomputed; its graph is the one that runs
 */
public record PreparedRun(Graph graph, Scenario scenario, Map<String, Long> symbols, CheckpointPlan plan) {
    /** The symbol of the sequence length in models from a {@code config.json}. */
    private static final String SEQUENCE = "seq";

    private static final List<Pass> SHARED = List.of(
            new Pass("leave out masks that only tracing makes", (g, run, symbols) -> SkippedMasks.restore(g, symbols)),
            new Pass("fill where tracing copied a number", (g, run, symbols) -> AssignedNumbers.restore(g)),
            new Pass("let embedded tokens require gradients", (g, run, symbols) -> InputGradients.enable(g, run)));

    /**
     * Prepares a run.
     *
     * @param imported as the importer gives it
     * @param own passes of the side that runs it, which follow the shared ones
     * @throws dev.headroom.model.error.UserInputException when sizes are missing, contradictory or impossible, and for
     *     checkpoints that the model has no place for
     */
    public static PreparedRun of(Graph imported, Scenario scenario, List<Pass> own) {
        Map<String, Long> dims = new LinkedHashMap<>(scenario.sizes().dims());
        Long seq = scenario.model().seq();
        if (seq != null) {
            dims.put(SEQUENCE, seq);
        }
        Map<String, Long> symbols =
                SymbolBinding.bind(imported, scenario.sizes().batch(), dims);
        Graph graph = imported;
        for (Pass pass : SHARED) {
            graph = pass.rewrite().apply(graph, scenario, symbols);
        }
        for (Pass pass : own) {
            graph = pass.rewrite().apply(graph, scenario, symbols);
        }
        return new PreparedRun(graph, scenario, symbols, CheckpointPlan.of(graph, scenario));
    }

    /**
     * The loss that is taken of the model's first output.
     *
     * @param output its sizes
     * @return never {@link LossKind#AUTO}
     */
    public LossKind loss(long[] output) {
        LossKind asked = scenario.loop().loss();
        if (asked != LossKind.AUTO) {
            return asked;
        }
        // A model from a config.json that infers is given no labels.
        boolean unlabelled = scenario.loop().inference() && scenario.model().seq() != null;
        if (output.length == 0 || unlabelled) {
            return LossKind.OUTPUT;
        }
        return scoresTokens(output) ? LossKind.TOKENS : LossKind.CROSS_ENTROPY;
    }

    /** Whether all that the model is given is token numbers, one for each row of scores that it returns. */
    private boolean scoresTokens(long[] scores) {
        List<TensorMeta> inputs = new ArrayList<>();
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() == Graph.InputKind.USER && meta != null) {
                inputs.add(meta);
            }
        }
        return scores.length == 3
                && inputs.size() == 1
                && inputs.get(0).dtype() == DType.INT64
                && Arrays.equals(
                        inputs.get(0).sizes().stream()
                                .mapToLong(s -> s.evaluate(symbols))
                                .toArray(),
                        Arrays.copyOf(scores, 2));
    }
}
