package dev.headroom.model.run;

import dev.headroom.model.adapter.peft.Adapters;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.compiled.CompiledSteps;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.pass.KeptWhole;
import dev.headroom.model.quant.pass.Preparing;
import dev.headroom.model.quant.pass.QuantisedLinears;
import dev.headroom.model.rewrite.AssignedNumbers;
import dev.headroom.model.rewrite.FusedLanguageHead;
import dev.headroom.model.rewrite.InputGradients;
import dev.headroom.model.rewrite.ItemsInBatch;
import dev.headroom.model.rewrite.KeptValues;
import dev.headroom.model.rewrite.LigerKernels;
import dev.headroom.model.rewrite.ModelMode;
import dev.headroom.model.rewrite.ShiftedScores;
import dev.headroom.model.rewrite.SkippedMasks;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    /** Sizes of a graph that are remembered. */
    private static final int KEPT = 32;

    /** Variants of a run mostly have its sizes, and each size of a graph is checked under them. */
    private static final GraphMemo<Recent<Sizes, Map<String, Long>>> BOUND = new GraphMemo<>(g -> new Recent<>(KEPT));

    private static final EqualGraphs SHARED_RESULTS = new EqualGraphs();

    private static final EqualGraphs PREPARED = new EqualGraphs();

    private static final List<Pass> SHARED = List.of(
            // A compiled program is called as a whole.
            new Pass(
                    "bind what outlives a pass",
                    (g, run, symbols) -> run.kernels().compile() ? g : KeptValues.bound(g)),
            new Pass(
                    "evaluate as model.eval() does",
                    (g, run, symbols) -> run.loop().inference() ? ModelMode.evaluating(g) : g),
            // torch.compile traces, too.
            new Pass(
                    "leave out masks that only tracing makes",
                    (g, run, symbols) -> run.kernels().compile() ? g : SkippedMasks.restore(g, symbols)),
            new Pass("fill where tracing copied a number", (g, run, symbols) -> AssignedNumbers.restore(g)),
            new Pass("keep in float32 what the library keeps", (g, run, symbols) -> KeptWhole.rewrite(g, run)),
            new Pass("quantise the weights of linear layers", (g, run, symbols) -> QuantisedLinears.rewrite(g, run)),
            new Pass("prepare quantised models for training", (g, run, symbols) -> Preparing.rewrite(g, run)),
            new Pass("let embedded tokens require gradients", (g, run, symbols) -> InputGradients.enable(g, run)),
            new Pass("add adapters, freeze the rest", (g, run, symbols) -> adapted(g, run)),
            new Pass(
                    "move scores as older losses do",
                    (g, run, symbols) -> ShiftedScores.of(g, run.trainer().transformers())),
            new Pass(
                    "put on the head of trl's SFTTrainer",
                    (g, run, symbols) -> run.trainer().fusesHead() ? FusedLanguageHead.put(g) : g),
            new Pass(
                    "put Liger's kernels in",
                    (g, run, symbols) -> run.trainer().liger() ? LigerKernels.put(g, run.trainer()) : g),
            new Pass(
                    "hand the model what a Trainer counts",
                    (g, run, symbols) -> run.trainer().loop().isTrainer()
                            ? ItemsInBatch.given(g, run.trainer().transformers())
                            : g));

    /**
     * Prepares a run.
     *
     * @param imported as the importer gives it
     * @param asked as the user gives it
     * @param own passes of the side that runs it, which follow the shared ones
     * @throws dev.headroom.model.error.UserInputException when sizes are missing, contradictory or impossible, and for
     *     checkpoints that the model has no place for
     */
    public static PreparedRun of(Graph imported, Scenario asked, List<Pass> own) {
        Scenario told = EngineTypes.applied(imported, LibraryCheckpoints.applied(TrainerDefaults.applied(asked)));
        Scenario scenario = CompiledSteps.applied(imported, Preparing.applied(told));
        Optional<GenerationProgram> generation = GenerationProgram.of(imported);
        Map<String, Long> symbols = symbols(imported, scenario);
        Graph graph = generation
                .map(program -> program.map(pass -> PREPARED.one(prepared(own, pass, scenario, symbols)))
                        .graph())
                .orElseGet(() -> prepared(own, imported, scenario, symbols));
        Graph noted = PREPARED.one(AccelerateDefaults.noted(LibraryCheckpoints.noted(graph, asked), asked));
        // Inside of what is compiled, the partitioner decides.
        boolean inside = scenario.kernels().compile() && !scenario.kernels().compileRegions();
        CheckpointPlan plan = inside ? CheckpointPlan.none(noted) : CheckpointPlan.of(noted, scenario);
        return new PreparedRun(noted, scenario, symbols, plan);
    }

    /**
     * A value for each symbol of a graph under a run's sizes.
     *
     * @throws dev.headroom.model.error.UserInputException when sizes are missing, contradictory or impossible
     */
    public static Map<String, Long> symbols(Graph imported, Scenario run) {
        Map<String, Long> dims = new LinkedHashMap<>(run.sizes().dims());
        Long seq = run.model().seq();
        if (seq != null) {
            dims.put(SEQUENCE, seq + run.adapters().virtualTokens());
        }
        if (GenerationProgram.of(imported).isPresent()) {
            dims.put(GenerationProgram.PAST, dims.get(SEQUENCE)); // of the first new token
        }
        Sizes asked = new Sizes(run.sizes().batch(), dims);
        Recent<Sizes, Map<String, Long>> bound = BOUND.of(imported);
        Map<String, Long> there = bound.find(asked);
        if (there == null) {
            there = SymbolBinding.bind(imported, asked.batch(), dims);
            bound.put(asked, there);
        }
        return there;
    }

    /** What a graph's symbols are bound by: all that is asked of their values. */
    private record Sizes(@Nullable Long batch, Map<String, Long> dims) {}

    private static Graph prepared(List<Pass> own, Graph imported, Scenario scenario, Map<String, Long> symbols) {
        Scenario known = PassResults.knownToPasses(scenario);
        return PassResults.of(imported, own, known, symbols, (graph, seen) -> after(own, graph, known, seen));
    }

    /** After all passes; those of one side, which read much of a graph, get equal ones as the same. */
    private static Graph after(List<Pass> own, Graph imported, Scenario scenario, Map<String, Long> symbols) {
        Graph graph = imported;
        for (Pass pass : SHARED) {
            graph = after(pass, graph, scenario, symbols);
        }
        graph = SHARED_RESULTS.one(graph);
        for (Pass pass : own) {
            graph = after(pass, graph, scenario, symbols);
        }
        return graph;
    }

    private static Graph after(Pass pass, Graph graph, Scenario scenario, Map<String, Long> symbols) {
        try {
            return pass.rewrite().apply(graph, scenario, symbols);
        } catch (ArithmeticException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new UserInputException(
                    "the model's parts do not fit together where its graph is prepared ('" + pass.name()
                            + "'); if PyTorch runs it, please report this",
                    e);
        }
    }

    private static Graph adapted(Graph graph, Scenario run) {
        boolean trains = !run.loop().inference();
        boolean lowers = run.trainer().fusesHead() && run.quant().any();
        return Adapters.rewrite(
                graph,
                run.adapters(),
                Surroundings.of(graph, run.precision().dtype(), run.precision().amp(), trains)
                        .under(
                                run.parallel().kind().isDeepSpeed()
                                        ? run.precision().dtype()
                                        : null)
                        .gathering(gatheredType(run))
                        .lowering(lowers)
                        .making(run.trainer().fusesHead()));
    }

    /** What layers see of adapters that are sharded with them; under the Trainer's FSDP1 these are gathered later. */
    private static @Nullable DType gatheredType(Scenario run) {
        boolean apart = run.trainer().loop().isTrainer() && run.parallel().kind() == ParallelKind.FSDP1;
        return apart ? null : run.parallel().sharding().paramDtype();
    }

    /** Whether its forward passes are those of another, of the same sizes. */
    @SuppressWarnings("ReferenceEquality") // mostly the very graph, and comparing two by their nodes takes its time
    public boolean runsAs(PreparedRun other) {
        return symbols.equals(other.symbols) && (graph == other.graph || graph.equals(other.graph));
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
