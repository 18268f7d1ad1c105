package dev.headroom.estimator.loop;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.OptimizerKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The optimizer that a Trainer makes: parameters with weight decay come first, then biases and norms, which have none
 * (transformers, trainer.py, create_optimizer, get_decay_parameter_names). Optimizers of PyTorch step one group after
 * the other, with local variables of their own. 8-bit ones of bitsandbytes keep the state of embeddings in float32.
 */
final class TrainerOptimizer implements Optimizer {
    private static final Pattern WITHOUT_DECAY =
            Pattern.compile("bias|layernorm|rmsnorm|(?:^|\\.)norm(?:$|\\.)|_norm(?:$|\\.)");

    private final List<Optimizer> groups = new ArrayList<>();

    /** By position among the model's parameters: its group, and its position there. */
    private final Map<Integer, int[]> places = new HashMap<>();

    TrainerOptimizer(TrainingLoop loop, List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> make) {
        OptimizerKind kind = loop.prepared().scenario().optimizer().kind();
        List<List<Tensor>> made = new ArrayList<>(List.of(new ArrayList<>()));
        boolean steppedApart = kind.isOfTorch() || kind == OptimizerKind.GROKADAMW;
        List<List<Integer>> together = new ArrayList<>();
        Map<Tensor, Integer> numbers = new HashMap<>();
        for (int i = 0; i < parameters.size(); i++) {
            numbers.put(parameters.get(i), i);
        }
        for (List<Tensor> members : groups(loop, parameters)) {
            if (!together.isEmpty() && steppedApart) {
                made.add(new ArrayList<>());
            }
            List<Tensor> group = made.get(made.size() - 1);
            List<Integer> positions = new ArrayList<>();
            together.add(positions);
            for (Tensor p : members) {
                places.put(numbers.get(p), new int[] {made.size() - 1, group.size()});
                positions.add(group.size());
                group.add(p);
            }
        }
        for (List<Tensor> group : made) {
            Optimizer optimizer = make.apply(group);
            if (optimizer != null) {
                if (!steppedApart) {
                    optimizer.group(together);
                }
                optimizer.widen(read(loop, "aten.embedding", "weight"));
                groups.add(optimizer);
            }
        }
    }

    /** Trained parameters: those with weight decay, and those without. */
    static List<List<Tensor>> groups(TrainingLoop loop, List<Tensor> parameters) {
        Set<Tensor> norms = read(loop, "aten.layer_norm", "weight", "bias");
        Map<Tensor, String> names = new HashMap<>();
        for (int i = 0; i < loop.model().parameters().size(); i++) {
            names.putIfAbsent(
                    loop.model().parameters().get(i),
                    loop.model().parameterNames().get(i));
        }
        List<List<Tensor>> out = List.of(new ArrayList<>(), new ArrayList<>());
        for (Tensor p : parameters) {
            String name = names.getOrDefault(p, "").toLowerCase(Locale.ROOT);
            boolean decays = !norms.contains(p) && !WITHOUT_DECAY.matcher(name).find();
            if (p.requiresGrad()) {
                out.get(decays ? 0 : 1).add(p);
            }
        }
        return out;
    }

    /** The model's tensors that some operators read as these arguments. */
    static Set<Tensor> read(TrainingLoop loop, String operator, String... arguments) {
        Set<Tensor> out = new HashSet<>();
        for (Node n : loop.graph().nodes()) {
            if (!n.operator().equals(operator)) {
                continue;
            }
            for (String argument : arguments) {
                String value = n.tensor(argument);
                Tensor t = value == null ? null : loop.model().byValue().get(value);
                if (t != null) {
                    out.add(t);
                }
            }
        }
        return out;
    }

    @Override
    public void step() {
        groups.forEach(Optimizer::step);
    }

    @Override
    public boolean showsAll() {
        return groups.stream().allMatch(Optimizer::showsAll);
    }

    @Override
    public List<Tensor> state(int parameter) {
        int[] place = places.get(parameter);
        return place == null || groups.isEmpty()
                ? List.of()
                : groups.get(place[0]).state(place[1]);
    }
}
