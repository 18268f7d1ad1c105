package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_BUDGET;

import java.util.List;

/** What {@code torch.compile} can be told, where a run is compiled. */
final class CompileChanges {
    static final String KIND = "compile-budget";

    static final List<CatalogueEntry> ENTRIES = List.of(budget(0.5, "half"), budget(0.2, "a fifth"));

    private CompileChanges() {}

    private static CatalogueEntry budget(double share, String words) {
        return CatalogueEntry.of(s -> Change.free(
                                KIND,
                                words + " of what compiled graphs keep for backward",
                                r -> r.with(COMPILE_BUDGET, share))
                        .withIntrusion(Intrusion.WORK)
                        .withCost(Cost.RECOMPUTATION)
                        .withCode("torch._functorch.config.activation_memory_budget = " + share
                                + "  # before the first step")
                        .withEffect("backward computes what is not kept again"))
                .when(s -> s.trains()
                        && s.run().kernels().compile()
                        && s.run().kernels().compileBudget() == null)
                .explained("compile_budget", "Less kept by compiled graphs", Target.SAVED_ACTIVATIONS);
    }
}
