package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The groups that an optimizer is given: DTensors first, then plain tensors. */
final class ParameterGroups {
    private ParameterGroups() {}

    private static List<Tensor> of(List<Tensor> parameters, boolean shared) {
        return parameters.stream()
                .filter(p -> p.distribution() != null == shared)
                .toList();
    }

    /** All parameters, in the order of the groups. */
    static List<Tensor> ordered(List<Tensor> parameters) {
        List<Tensor> out = new ArrayList<>(of(parameters, true));
        out.addAll(of(parameters, false));
        return out;
    }

    /** @return {@code null} where {@code own} makes none */
    static @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        List<Tensor> shared = of(parameters, true);
        List<Tensor> plain = of(parameters, false);
        Optimizer first = shared.isEmpty() ? null : own.apply(shared);
        Optimizer second = plain.isEmpty() ? null : own.apply(plain);
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return new Optimizer() {
            @Override
            public void step() {
                first.step();
                second.step();
            }

            @Override
            public List<Tensor> state(int parameter) {
                Tensor p = parameters.get(parameter);
                return p.distribution() != null ? first.state(shared.indexOf(p)) : second.state(plain.indexOf(p));
            }
        };
    }
}
