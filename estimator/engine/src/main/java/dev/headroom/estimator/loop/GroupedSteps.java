package dev.headroom.estimator.loop;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.ParameterGroup;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Groups of parameters, of one optimizer or of several. Each is stepped on its own, one after the other: the state of
 * its parameters is made, then their temporaries come and go (torch/optim/adam.py and its like, {@code step}). What is
 * in no group is not stepped, and {@code zero_grad()} lets its gradient be.
 */
final class GroupedSteps implements LoopHook {
    private final Scenario run;
    private final Map<Integer, Place> places = new HashMap<>();
    private final List<Tensor> grouped = new ArrayList<>();
    private TrainingLoop loop;

    /** Where the state of a parameter is: in a group's optimizer, and its position there. */
    private record Place(Optimizer optimizer, int position) {}

    GroupedSteps(Scenario run) {
        this.run = run;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public void describe(Beginning to) {
        // The state of its optimizers is that of the parameters.
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        List<Optimizer> optimizers = new ArrayList<>();
        for (ParameterGroup group : run.optimizer().groups()) {
            List<Integer> members = members(group);
            List<Tensor> tensors = members.stream().map(parameters::get).toList();
            Scenario stepped = run.withOptimizer(group.choice(run));
            Optimizer optimizer = Objects.requireNonNull(Optimizers.of(stepped, loop.runtime(), tensors));
            for (int i = 0; i < members.size(); i++) {
                places.put(members.get(i), new Place(optimizer, i));
            }
            grouped.addAll(tensors);
            optimizers.add(optimizer);
        }
        return new Stepped(optimizers);
    }

    private List<Integer> members(ParameterGroup group) {
        List<String> names = loop.model().parameterNames();
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (!places.containsKey(i) && group.names(names.get(i))) {
                out.add(i);
            }
        }
        if (out.isEmpty()) {
            throw new UserInputException("`param_group=" + group
                    + "`: no parameter has such a name, or groups before it have them all; the first parameter is "
                    + (names.isEmpty() ? "none" : names.get(0)));
        }
        return out;
    }

    @Override
    public void zeroGrad(Runnable own) {
        grouped.forEach(p -> loop.runtime().setGrad(p, null));
    }

    private final class Stepped implements Optimizer {
        private final List<Optimizer> optimizers;

        Stepped(List<Optimizer> optimizers) {
            this.optimizers = optimizers;
        }

        @Override
        public void step() {
            optimizers.forEach(Optimizer::step);
        }

        @Override
        public boolean showsAll() {
            return optimizers.stream().allMatch(Optimizer::showsAll);
        }

        @Override
        public List<Tensor> state(int parameter) {
            Place place = places.get(parameter);
            return place == null ? List.of() : place.optimizer.state(place.position);
        }
    }
}
