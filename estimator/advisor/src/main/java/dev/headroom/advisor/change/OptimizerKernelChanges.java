package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;

import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario.Foreach;
import java.util.List;

/** Other kernels of the same optimizer. */
final class OptimizerKernelChanges {
    private static final String KIND = "optimizer-kernels";

    static final List<CatalogueEntry> ENTRIES = List.of(
            CatalogueEntry.of(s -> Change.free(KIND, "fused optimizer kernels", r -> r.with(FUSED, true))
                            .withCode("optimizer = " + OptimizerChanges.constructor(s.optimizer(), "fused=True")))
                    .when(s -> steps(s)
                            && s.run().optimizer().foreach() != Foreach.TRUE
                            && s.optimizer().fusesIn(s.torch())),
            CatalogueEntry.of(s -> Change.free(
                                    KIND, "optimizer without lists of tensors", r -> r.with(FOREACH, Foreach.FALSE))
                            .withCode("optimizer = " + OptimizerChanges.constructor(s.optimizer(), "foreach=False"))
                            .withEffect("the optimizer launches a few kernels for every parameter, which is slower"))
                    .when(OptimizerKernelChanges::steps)
                    .plannedWhen(s -> takesLists(s)
                            && s.torch().foreachArgument()
                            && !s.optimizer().quantised())
                    .explainedWhen(s -> takesLists(s) && s.torch().foreachByDefault())
                    .explained("foreach", "For-loop optimizer", Target.OPTIMIZER_STEP));

    private OptimizerKernelChanges() {}

    /** Whether there is a step whose kernels are not fused. */
    private static boolean steps(Situation s) {
        return s.trains()
                && s.optimizer() != OptimizerKind.NONE
                && !s.run().optimizer().fused();
    }

    private static boolean takesLists(Situation s) {
        OptimizerChoice optimizer = s.run().optimizer();
        return optimizer.foreach() == Foreach.TRUE
                || optimizer.foreach() == Foreach.AUTO && s.torch().foreachByDefault();
    }
}
