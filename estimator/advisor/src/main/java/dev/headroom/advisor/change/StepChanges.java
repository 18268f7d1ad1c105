package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import java.util.List;

/** When tensors of the training step die. */
final class StepChanges {
    static final List<CatalogueEntry> ENTRIES = List.of(
            CatalogueEntry.of(s -> Change.free(
                                    "zero-grad", "drop gradients between steps", r -> r.with(ZERO_GRAD_KEEP, false))
                            .withCode("optimizer.zero_grad(set_to_none=True)"))
                    .when(s -> s.trains()
                            && s.run().loop().zeroGradKeep()
                            && s.torch().zeroGradSetsToNone())
                    .explained("set_to_none", "zero_grad(set_to_none=True)", Target.OLD_GRADIENTS),
            CatalogueEntry.of(s -> Change.free(
                                    "outputs",
                                    "delete outputs and loss after backward",
                                    r -> r.with(DROP_OUTPUTS, true))
                            .withCode("del outputs, loss  # after loss.backward(), or compute both in a function"))
                    .when(s -> s.trains()
                            && !s.run().loop().dropOutputs()
                            && !s.run().trainer().loop().isTrainer())
                    .explained("del", "del outputs, loss", Target.OLD_OUTPUTS));

    private StepChanges() {}
}
