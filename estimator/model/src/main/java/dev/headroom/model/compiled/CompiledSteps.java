package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a plan has decided of a run, because it is in the compiled code. */
public final class CompiledSteps {
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
        if (run.kernels().channelsLast()) {
            throw other("`channels_last`");
        }
        if (run.kernels().channelsLast3d()) {
            throw other("`channels_last_3d`");
        }
        Scenario out = run.with(ScenarioSettings.AMP, facts.amp());
        if (graph.nodes().stream().anyMatch(n -> n.module().startsWith(PlanProgram.CHECKPOINTS))) {
            out = out.with(ScenarioSettings.CHECKPOINT_MODULES, List.of(PlanProgram.CHECKPOINTS + ".*"));
        }
        if (!facts.trains()) {
            return out.with(ScenarioSettings.INFERENCE, true);
        }
        boolean fuses = run.optimizer().kind().fusesIn(run.torch());
        return facts.compilesStep() && fuses ? out.with(ScenarioSettings.FUSED, true) : out;
    }

    private static CompiledGraph.@Nullable Facts facts(Graph graph) {
        for (Node node : graph.nodes()) {
            for (Node.NamedArgument a : node.arguments()) {
                if (a.value() instanceof Argument.Attached attached
                        && attached.content() instanceof CompiledGraph compiled) {
                    return compiled.facts();
                }
            }
        }
        return null;
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
