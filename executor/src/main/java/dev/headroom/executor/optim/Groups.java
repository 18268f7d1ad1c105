package dev.headroom.executor.optim;

import dev.headroom.executor.tensor.Tensor;
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

    /** Those that have a gradient. */
    static List<Tensor> withGradient(List<Tensor> parameters) {
        return parameters.stream().filter(p -> p.grad() != null).toList();
    }

    /** Something of each. */
    static <S> List<Tensor> each(List<S> of, Function<S, Tensor> what) {
        return of.stream().map(what).toList();
    }
}
