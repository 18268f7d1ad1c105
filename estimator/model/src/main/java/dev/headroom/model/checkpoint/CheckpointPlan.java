package dev.headroom.model.checkpoint;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a run checkpoints.
 *
 * @param graph the forward pass, its module stacks as they are when segments are called instead of their containers
 * @param regions in order, apart from each other
 * @param offload the first input of each region waits in host memory
 */
public record CheckpointPlan(Graph graph, List<Region> regions, boolean reentrant, boolean offload) {
    /** Advice goes to and fro between a few plans of one graph. */
    private static final int MOST = 8;

    private static final GraphMemo<Recent<Question, CheckpointPlan>> KNOWN =
            new GraphMemo<>(graph -> new Recent<>(MOST));

    /** All of a run that decides what is recomputed. */
    private record Question(Checkpointing asked, boolean inference, boolean inputGrad, ParallelKind kind) {}

    /** A plan that keeps inputs where they are. */
    public CheckpointPlan(Graph graph, List<Region> regions, boolean reentrant) {
        this(graph, regions, reentrant, false);
    }

    /** A plan that recomputes nothing. */
    public static CheckpointPlan none(Graph graph) {
        return new CheckpointPlan(graph, List.of(), false);
    }

    /**
     * Finds what {@code --checkpoint} and {@code --checkpoint-modules} mean for a graph; without either, what the
     * program checkpoints itself, see {@link ProgramCheckpoints}.
     *
     * <ul>
     *   <li>Patterns name modules: each call of one is a checkpoint; runs of siblings are one checkpoint each, see
     *       {@link ModulePatterns}.
     *   <li>Models of libraries with a switch of their own use it: each call of a repeated block is a checkpoint, see
     *       {@link LibrarySwitch}; the number of segments has no effect.
     *   <li>On several GPUs, each repeated block of other models is a checkpoint, see {@link RepeatedBlocks}, as
     *       {@code apply_activation_checkpointing} makes them; the number of segments has no effect.
     *   <li>Other models are split as {@code checkpoint_sequential} splits their chain of blocks, see {@link Chain}.
     * </ul>
     *
     * @throws UserInputException where a model has nothing of the kind
     */
    public static CheckpointPlan of(Graph graph, Scenario run) {
        Recent<Question, CheckpointPlan> known = KNOWN.of(graph);
        Question question = new Question(
                run.checkpointing(),
                run.loop().inference(),
                run.loop().inputGrad(),
                run.parallel().kind());
        CheckpointPlan plan = known.find(question);
        if (plan == null) {
            plan = checked(graph, run);
            known.put(question, plan);
        }
        return plan;
    }

    private static CheckpointPlan checked(Graph graph, Scenario run) {
        ReentrantCheckpoints own = ReentrantCheckpoints.of(graph);
        CheckpointPlan plan = find(own.graph(), run);
        if (!run.checkpointing().any()) {
            // What the program itself does is not refused.
            return run.loop().inference() || own.ranges().isEmpty() ? plan : own.plan();
        }
        // Without a gradient to wait for, a re-entrant checkpoint never looks at its inputs again.
        if (!plan.reentrant || run.loop().inputGrad()) {
            plan.regions.forEach(r -> r.refuseChangedInputs(plan.graph));
        }
        return plan;
    }

    /**
     * The graph with what is inside of the program's own re-entrant checkpoints in their place: plans are made for it
     * as for the graph itself.
     */
    public static Graph withoutBodies(Graph graph) {
        return ReentrantCheckpoints.of(graph).graph();
    }

    /** Modules of the chain that {@code checkpoint_sequential} would split, 0 where there is none. */
    public static int chainLength(Graph graph) {
        Chain chain = Chain.of(graph);
        return chain == null ? 0 : chain.length();
    }

    /** Whether the model's library has a switch that checkpoints its blocks, whatever the number of segments. */
    public static boolean hasSwitch(Graph graph) {
        return !LibrarySwitch.calls(graph).isEmpty();
    }

    /** Whether the library's switch checkpoints calls of modules from outside, with what a wrapper around them does. */
    public static boolean switchIsOutside(Graph graph) {
        return LibrarySwitch.isOutside(graph);
    }

    private static CheckpointPlan find(Graph graph, Scenario run) {
        boolean explicit = Boolean.TRUE.equals(run.checkpointing().reentrant());
        if (run.loop().inference()) {
            return none(graph);
        }
        if (!run.checkpointing().modules().isEmpty()) {
            Regions regions = new Regions(graph);
            LibrarySwitch.Layers layers = LibrarySwitch.layers(graph);
            List<Region> named = ModulePatterns.ranges(
                            graph, run.checkpointing().modules())
                    .stream()
                    .map(r -> regions.of(r.from(), r.to(), layers.given(r.from(), r.to())))
                    .toList();
            return new CheckpointPlan(graph, named, explicit);
        }
        if (run.checkpointing().segments() == 0) {
            return ProgramCheckpoints.plan(graph);
        }
        List<Region> blocks = LibrarySwitch.regions(graph);
        int every = run.checkpointing().every();
        if (!blocks.isEmpty()) {
            List<Region> all = explicit ? LibrarySwitch.handingOn(graph, blocks) : blocks;
            List<Region> chosen = IntStream.range(0, all.size())
                    .filter(i -> i % every == 0)
                    .mapToObj(all::get)
                    .toList();
            return new CheckpointPlan(
                    graph, chosen, explicit, run.checkpointing().offload());
        }
        if (every > 1 || run.checkpointing().offload()) {
            throw new UserInputException((every > 1 ? "`checkpoint_every`" : "`checkpoint_offload`")
                    + " is for models of transformers; name what to recompute with `checkpoint_modules`");
        }
        if (run.parallel().kind() != ParallelKind.SINGLE) {
            return new CheckpointPlan(graph, RepeatedBlocks.regions(graph), explicit);
        }
        Chain chain = Chain.of(graph);
        if (chain == null) {
            throw new UserInputException("`checkpoint=" + run.checkpointing().segments()
                    + "`: the model is no chain of modules to split (most"
                    + " of it in an nn.Sequential); name what to recompute with `checkpoint_modules`");
        }
        boolean reentrant = run.checkpointing().reentrant() == null
                ? run.loop().inputGrad()
                : run.checkpointing().reentrant();
        return chain.split(run.checkpointing().segments(), reentrant);
    }
}
