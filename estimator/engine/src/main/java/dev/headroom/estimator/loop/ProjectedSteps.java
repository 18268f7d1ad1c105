package dev.headroom.estimator.loop;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.BriefText;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The optimizers that project gradients, GaLore and APOLLO, as the Trainer sets them up (transformers,
 * trainer_optimizer.py, _setup_low_rank_optimizer): all other parameters come first, then the weights of the linear
 * layers that are meant. Layer by layer, each parameter has an optimizer of its own, which steps it as soon as its
 * gradient is there, and lets go of the gradient.
 */
final class ProjectedSteps implements LoopHook {
    private static final String WEIGHT = ".weight";

    private final Scenario run;
    private TrainingLoop loop;

    ProjectedSteps(Scenario run) {
        this.run = run;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    /** Layer by layer, optimizers step inside of passes, and count. */
    @Override
    public void describe(Beginning to) {
        to.unknownIf(run.optimizer().options().layerwise());
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        Set<Tensor> targets = targets(parameters);
        List<Tensor> ordered = new ArrayList<>(parameters);
        ordered.removeIf(targets::contains);
        parameters.stream().filter(targets::contains).forEach(ordered::add);
        if (!run.optimizer().options().layerwise()) {
            Optimizer all = make(ordered, targets);
            return new Placed(
                    ordered.stream().map(t -> all).toList(),
                    parameters.stream().map(ordered::indexOf).toList());
        }
        List<Optimizer> each = new ArrayList<>();
        for (Tensor p : parameters) {
            Optimizer one = make(List.of(p), targets);
            each.add(one);
            if (p.requiresGrad()) {
                loop.runtime().tape().addPostAccumulateHook(p, leaf -> {
                    one.step();
                    loop.runtime().setGrad(leaf, null);
                });
            }
        }
        return new Placed(each, parameters.stream().map(p -> 0).toList());
    }

    private Optimizer make(List<Tensor> parameters, Set<Tensor> targets) {
        Optimizer made = Objects.requireNonNull(Optimizers.of(run, loop.runtime(), parameters));
        made.project(targets);
        return made;
    }

    /** The weights of the linear layers that are meant; a weight that an embedding shares is none. */
    private Set<Tensor> targets(List<Tensor> parameters) {
        Set<Tensor> linear = TrainerOptimizer.read(loop, "aten.linear", "weight");
        linear.removeAll(TrainerOptimizer.read(loop, "aten.embedding", "weight"));
        OptimizerOptions options = run.optimizer().options();
        String option = "`optim_target_modules`";
        if (options.targetModules().isEmpty()) {
            throw new UserInputException("`optimizer=" + run.optimizer().kind().option() + "` projects the gradients"
                    + " of some linear layers; name them with " + option
                    + ", or write `optim_target_modules=all-linear`");
        }
        Set<Tensor> out = new HashSet<>();
        for (int i = 0; i < parameters.size(); i++) {
            String name = loop.model().parameterNames().get(i);
            String module = name.endsWith(WEIGHT) ? name.substring(0, name.length() - WEIGHT.length()) : name;
            if (linear.contains(parameters.get(i)) && means(options.targetModules(), module)) {
                out.add(parameters.get(i));
            }
        }
        if (out.isEmpty()) {
            throw new UserInputException(
                    option + ": the model has no linear layer " + String.join(",", options.targetModules()));
        }
        return out;
    }

    /** check_target_module_exists: a part of the path, or a regular expression from its beginning. */
    private static boolean means(List<String> targets, String module) {
        if (targets.size() == 1 && targets.get(0).replace('_', '-').equals("all-linear")) {
            return true;
        }
        return targets.stream().anyMatch(t -> module.contains(t) || begins(t, module));
    }

    private static boolean begins(String expression, String module) {
        try {
            return Pattern.compile(expression).matcher(new BriefText(module)).lookingAt();
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    /** Optimizers and, of each parameter, its place in its own. */
    private record Placed(List<Optimizer> optimizers, List<Integer> places) implements Optimizer {
        @Override
        public void step() {
            optimizers.stream().distinct().forEach(Optimizer::step);
        }

        @Override
        public List<Tensor> state(int parameter) {
            return optimizers.get(parameter).state(places.get(parameter));
        }
    }
}
