package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** What PyTorch calls the tensors of an optimizer's state (torch/optim, the {@code _init_group} methods). */
final class StateNames {
    private StateNames() {}

    /** Names for the optimizers that keep the same tensors for every parameter; none for the others. */
    static List<String> of(Scenario run) {
        OptimizerChoice chosen = run.optimizer();
        OptimizerOptions more = chosen.options();
        boolean plain = !chosen.fused() && !more.amsgrad() && !more.centered() && !more.momentum();
        return plain || chosen.kind() == OptimizerKind.SGD_MOMENTUM
                ? chosen.kind().state()
                : List.of();
    }

    /** {@code exp_avg and exp_avg_sq of 62 parameters}. */
    static String words(ExplainedRun explained) {
        List<Holding> state = explained.peak().holdings(Category.OPTIMIZER_STATE);
        long parameters = state.stream()
                .map(h -> h.tensor().name())
                .filter(name -> !name.isEmpty())
                .distinct()
                .count();
        List<String> names = explained.hasOwnLoop() ? List.of() : of(explained.run());
        String what = names.isEmpty() ? Words.count(state.size(), "tensor") : Words.list(names);
        return what + " of " + Words.count(parameters, "parameter");
    }
}
