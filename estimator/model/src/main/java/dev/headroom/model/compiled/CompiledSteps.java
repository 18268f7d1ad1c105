package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a plan has decided of a run, because it is in the compiled code. */
public final class CompiledSteps {
    /** Dimensions of a batch of images. */
    private static final int IMAGES = 4;

    private static final GraphMemo<Optional<CompiledGraph.Facts>> FACTS = new GraphMemo<>(CompiledSteps::read);

    private CompiledSteps() {}

    /**
     * The scenario of a run of a plan. The kernels that Inductor makes of an optimizer's step work in the memory of
     * parameters and states, as the optimizer's own fused kernels do: nothing is made besides the states.
     *
     * @throws UserInputException when other code would be needed
     */
    public static Scenario applied(Graph graph, Scenario run) {
        CompiledGraph.Facts facts = facts(graph);
        if (facts == null) {
            return run;
        }
        requireSame("`amp`", facts.amp(), run.precision().amp());
        requireSame("`dtype`", facts.dtype(), run.precision().dtype());
        boolean images = weighsChannelsLast(graph, IMAGES);
        boolean volumes = weighsChannelsLast(graph, IMAGES + 1);
        if (run.kernels().channelsLast() && !images) {
            throw other("`channels_last`");
        }
        if (run.kernels().channelsLast3d() && !volumes) {
            throw other("`channels_last_3d`");
        }
        Scenario out = run.with(ScenarioSettings.AMP, facts.amp())
                .with(ScenarioSettings.CHANNELS_LAST, images)
                .with(ScenarioSettings.CHANNELS_LAST_3D, volumes);
        if (graph.nodes().stream().anyMatch(n -> n.module().startsWith(PlanProgram.CHECKPOINTS))) {
            out = out.with(ScenarioSettings.CHECKPOINT_MODULES, List.of(PlanProgram.CHECKPOINTS + ".*"));
        }
        if (graph.loop() instanceof PlanPasses passes) {
            int each = run.loop().accumulate();
            if (passes.graphs().size() % each != 0) {
                throw new UserInputException("`accumulate=" + each + "` does not divide the plan's "
                        + passes.graphs().size() + " passes");
            }
            int steps = Math.max(run.loop().steps(), passes.graphs().size() / each);
            out = out.with(ScenarioSettings.STEPS, steps);
        }
        if (!facts.trains()) {
            return out.with(ScenarioSettings.INFERENCE, true);
        }
        boolean fuses = run.optimizer().kind().fusesIn(run.torch());
        return facts.compilesStep() && fuses ? out.with(ScenarioSettings.FUSED, true) : out;
    }

    /** Whether weights of so many dimensions came with their channels last. */
    private static boolean weighsChannelsLast(Graph graph, int dims) {
        return graph.inputs().stream()
                .filter(i -> i.kind() == Graph.InputKind.PARAMETER)
                .map(i -> graph.meta(i.value()))
                .filter(meta -> meta.sizes().size() == dims)
                .anyMatch(meta -> {
                    long[] sizes = known(meta.sizes());
                    long[] strides = known(meta.strides());
                    return !Shapes.isContiguous(sizes, strides) && Shapes.isChannelsLastContiguous(sizes, strides);
                });
    }

    private static long[] known(List<SymExpr> sizes) {
        return sizes.stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
    }

    private static CompiledGraph.@Nullable Facts facts(Graph graph) {
        return FACTS.of(graph).orElse(null);
    }

    private static Optional<CompiledGraph.Facts> read(Graph graph) {
        for (Node node : graph.nodes()) {
            for (Node.NamedArgument a : node.arguments()) {
                if (a.value() instanceof Argument.Attached attached
                        && attached.content() instanceof CompiledGraph compiled) {
                    return Optional.of(compiled.facts());
                }
            }
        }
        return Optional.empty();
    }

    /** @param asked {@code null} leaves it to the plan */
    private static void requireSame(String option, @Nullable DType compiled, @Nullable DType asked) {
        if (asked != null && asked != compiled && !(compiled == null && asked == DType.FLOAT32)) {
            throw other(option);
        }
    }

    private static UserInputException other(String option) {
        return new UserInputException(
                option + " does not go with this plan: it is in the code that was compiled; compile"
                        + " the model anew with it and name the new plan");
    }
}
