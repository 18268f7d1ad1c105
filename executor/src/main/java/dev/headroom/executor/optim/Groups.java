package dev.headroom.executor.optim;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Parameters by element type, as foreach and fused forms take them. */
final class Groups {
    private Groups() {}

    /**
     * The groups, that of the type met last first: PyTorch walks over a hash table of libstdc++, which puts a new key
     * in front (aten/src/ATen/native/ForeachUtils.h, _group_tensors_by_first_tensors_device_and_dtype).
     */
    static List<List<Tensor>> byType(List<Tensor> parameters) {
        Map<DType, List<Tensor>> groups = new LinkedHashMap<>();
        for (Tensor p : parameters) {
            groups.computeIfAbsent(p.dtype(), t -> new ArrayList<>()).add(p);
        }
        List<List<Tensor>> out = new ArrayList<>(groups.values());
        Collections.reverse(out);
        return out;
    }

    /** Those that have a gradient, which must be dense. */
    static List<Tensor> withGradient(List<Tensor> parameters) {
        List<Tensor> out = withAnyGradient(parameters);
        if (isSparse(out)) {
            throw new UserInputException("this optimizer does not take the sparse gradient of an embedding, and neither"
                    + " does PyTorch's; make the embedding sparse=False, or take `optimizer=sgd`");
        }
        return out;
    }

    /** Those that have a gradient, which may be sparse. */
    static List<Tensor> withAnyGradient(List<Tensor> parameters) {
        return parameters.stream().filter(p -> p.grad() != null).toList();
    }

    /** Whether any has a sparse gradient. */
    static boolean isSparse(List<Tensor> parameters) {
        return parameters.stream().anyMatch(p -> p.givenGrad().rows() != null);
    }

    /** PyTorch has no sum of a sparse gradient and a parameter. */
    static void refuseDecay(List<Tensor> parameters, Hyperparameters h) {
        if (h.weightDecay() != 0 && isSparse(parameters)) {
            throw new UserInputException("PyTorch has no weight decay of a parameter with a sparse gradient; leave out"
                    + " `weight_decay`, or make the embedding sparse=False");
        }
    }

    /** Something of each. */
    static <S> List<Tensor> each(List<S> of, Function<S, Tensor> what) {
        return of.stream().map(what).toList();
    }
}
