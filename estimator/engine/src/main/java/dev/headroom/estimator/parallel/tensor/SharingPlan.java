package dev.headroom.estimator.parallel.tensor;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.TensorOptions;
import dev.headroom.model.plan.PlannedModule;
import dev.headroom.model.plan.TensorPlan;
import dev.headroom.model.plan.UsualPlans;
import java.util.List;

/**
 * What a plan says of a whole model.
 *
 * @param modules that are shared, in order
 */
public record SharingPlan(List<PlannedModule> modules) {
    /**
     * The plan that a run names, or the usual one.
     *
     * @param modules all paths of the model's modules
     * @throws UserInputException where no plan is known, or it names modules that there are not
     */
    public static SharingPlan of(TensorOptions options, List<String> modules) {
        TensorPlan plan = options.plan() != null
                ? options.plan()
                : UsualPlans.of(modules, options.sequenceParallel(), options.lossParallel());
        return new SharingPlan(plan.of(modules));
    }
}
