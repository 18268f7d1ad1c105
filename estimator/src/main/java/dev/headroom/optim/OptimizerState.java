package dev.headroom.optim;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Category;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Shapes;
import dev.headroom.shadow.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parameters and what an optimizer keeps for each; shared by all optimizers. */
final class OptimizerState {
    private final Runtime runtime;
    private final List<Tensor> parameters;
    private final List<List<Tensor>> kept = new ArrayList<>();

    OptimizerState(Runtime runtime, List<Tensor> parameters) {
        this.runtime = runtime;
        this.parameters = parameters;
        parameters.forEach(p -> kept.add(new ArrayList<>(2)));
    }

    Runtime runtime() {
        return runtime;
    }

    Tensor parameter(int i) {
        return parameters.get(i);
    }

    /** Positions of the parameters that have a gradient: the others are left alone. */
    List<Integer> withGradient() {
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).grad() != null) {
                out.add(i);
            }
        }
        return out;
    }

    /** The same, grouped by type in order of appearance (torch/optim/optimizer.py, _group_tensors_by_device_and_dtype). */
    Iterable<List<Integer>> groups(List<Integer> positions) {
        Map<DType, List<Integer>> groups = new LinkedHashMap<>();
        for (int i : positions) {
            groups.computeIfAbsent(parameters.get(i).dtype(), k -> new ArrayList<>())
                    .add(i);
        }
        return groups.values();
    }

    boolean isNew(int parameter) {
        return kept.get(parameter).isEmpty();
    }

    /** Adds {@code zeros_like(parameter)} to its state. */
    void addLike(int parameter) {
        Tensor p = parameters.get(parameter);
        add(parameter, p.dtype(), p.sizes(), Shapes.preserved(p.sizes(), p.strides()));
    }

    /** Adds a tensor to a parameter's state. */
    void add(int parameter, DType type, long[] sizes, long[] strides) {
        Tensor t = runtime.emptyStrided(type, sizes, strides, Category.OPTIMIZER_STATE);
        kept.get(parameter).add(runtime.retain(t));
    }

    long bytes(int parameter) {
        return kept.get(parameter).stream().mapToLong(Tensor::nbytes).sum();
    }

    /** A list of temporaries, one a parameter, as {@code torch._foreach_sqrt} returns. */
    List<Tensor> temporaries(List<Integer> positions) {
        List<Tensor> out = new ArrayList<>(positions.size());
        for (int i : positions) {
            out.add(runtime.emptyLike(parameters.get(i)));
        }
        return out;
    }
}
