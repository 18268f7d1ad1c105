package dev.headroom.estimator.compile.lower;

import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Names of kernels as Inductor gives them: the same for the same operations over tensors of the same shapes. */
final class KernelNames {
    private final Map<Shape, Integer> numbers = new HashMap<>();

    /** What kernels of one name have alike. */
    private record Shape(List<String> functions, List<TensorMeta> tensors) {}

    /** {@code triton_poi_fused_add_0}, or {@code triton_red_...} of kernels that reduce. */
    String of(List<Work> works) {
        List<String> functions = works.stream().map(w -> w.function).toList();
        List<TensorMeta> tensors =
                works.stream().flatMap(w -> w.makes.stream()).map(Buffer::meta).toList();
        int number = numbers.computeIfAbsent(new Shape(functions, tensors), shape -> numbers.size());
        boolean reduces = works.stream().anyMatch(w -> w.shape == Work.Shape.REDUCTION);
        return "triton_" + (reduces ? "red" : "poi") + "_fused_" + String.join("_", new LinkedHashSet<>(functions))
                + "_" + number;
    }
}
