package dev.headroom.model.compiled;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;

/**
 * Steps of optimizers that were compiled with the model. The kernels that Inductor makes of a step work in the memory of
 * parameters and states, as the optimizer's own fused kernels do: nothing is made besides the states.
 */
public final class CompiledSteps {
    /** Says of a compiled graph's call that the step was compiled as well. */
    static final String ARGUMENT = "compiles_step";

    private CompiledSteps() {}

    /** The scenario in which the optimizer's step allocates what it does when it is compiled as the plan says. */
    public static Scenario applied(Graph graph, Scenario run) {
        boolean compiled = !graph.nodes().isEmpty() && graph.nodes().stream().allMatch(CompiledSteps::says);
        boolean fuses = run.optimizer().kind().fusesIn(run.torch());
        return compiled && fuses ? run.with(ScenarioSettings.FUSED, true) : run;
    }

    private static boolean says(Node node) {
        return node.target().equals(PlanModel.OPERATOR)
                && node.arguments().stream()
                        .anyMatch(a -> a.name().equals(ARGUMENT) && a.value() instanceof Argument.Bool b && b.value());
    }
}
