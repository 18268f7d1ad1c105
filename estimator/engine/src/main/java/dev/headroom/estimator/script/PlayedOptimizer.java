package dev.headroom.estimator.script;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.script.Script;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** An optimizer of a loop, which steps its groups one after the other. */
final class PlayedOptimizer implements Optimizer {
    private record Group(List<Tensor> parameters, Optimizer optimizer) {}

    private final List<Group> groups = new ArrayList<>();
    private final boolean fused;

    PlayedOptimizer(Script.Optimizer of, Map<String, PlayedModel> models, Scenario run, EagerRuntime runtime) {
        fused = of.groups().get(0).choice().fused();
        Set<Tensor> taken = new HashSet<>();
        for (Script.Group g : of.groups()) {
            List<Tensor> parameters = new ArrayList<>();
            for (String model : g.models()) {
                add(Objects.requireNonNull(models.get(model), model), g.patterns(), taken, parameters);
            }
            if (parameters.isEmpty()) {
                throw new UserInputException("optimizer '" + of.name() + "': a group of "
                        + String.join(", ", g.models()) + " has no parameters; look at its patterns");
            }
            Optimizer own = Optimizers.of(run.withOptimizer(g.choice()), runtime, parameters);
            groups.add(new Group(parameters, Objects.requireNonNull(own, of.name())));
        }
    }

    private static void add(PlayedModel model, List<String> patterns, Set<Tensor> taken, List<Tensor> parameters) {
        List<Tensor> all = model.tensors().parameters();
        for (int i = 0; i < all.size(); i++) {
            String name = model.tensors()
                    .parameterNames()
                    .get(i)
                    .substring(model.model().name().length() + 1);
            boolean asked = patterns.isEmpty() || patterns.stream().anyMatch(p -> matches(p, name));
            if (asked && taken.add(all.get(i))) {
                parameters.add(all.get(i));
            }
        }
    }

    private static boolean matches(String pattern, String name) {
        return name.matches(Pattern.quote(pattern).replace("*", "\\E.*\\Q"));
    }

    /** What it steps. */
    List<Tensor> parameters() {
        return groups.stream().flatMap(g -> g.parameters.stream()).toList();
    }

    @Override
    public void step() {
        groups.forEach(g -> g.optimizer.step());
    }

    /** Of a parameter that it steps; else none. */
    List<Tensor> stateOf(Tensor parameter) {
        for (Group g : groups) {
            int at = g.parameters.indexOf(parameter);
            if (at >= 0) {
                return g.optimizer.state(at);
            }
        }
        return List.of();
    }

    @Override
    public List<Tensor> state(int parameter) {
        return stateOf(parameters().get(parameter));
    }

    @Override
    public Optional<Boolean> takesScale() {
        return Optional.of(fused);
    }

    @Override
    public boolean showsAll() {
        return groups.stream().allMatch(g -> g.optimizer.showsAll());
    }
}
