package dev.headroom.model.onnx;

import dev.headroom.model.onnx.file.OnnxFile;
import dev.headroom.model.onnx.file.OnnxFile.Operation;
import dev.headroom.model.onnx.file.OnnxFile.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Undoes what exporting makes of {@code nn.Linear} over more than two dimensions: a product with the transposed weight,
 * and a sum. PyTorch's kernel adds the bias without a tensor in between.
 */
final class LinearLayers {
    private LinearLayers() {}

    static List<Operation> restored(OnnxFile file) {
        Map<String, Integer> readers = new HashMap<>();
        file.nodes().forEach(n -> n.inputs().forEach(input -> readers.merge(input, 1, Integer::sum)));
        file.outputs().forEach(output -> readers.merge(output, 1, Integer::sum));
        List<Operation> out = new ArrayList<>();
        Operation before = null;
        for (Operation node : file.nodes()) {
            Operation linear = before == null ? null : linear(file, readers, before, node);
            if (linear != null) {
                out.set(out.size() - 1, linear);
            } else {
                out.add(node);
            }
            before = linear == null ? node : null;
        }
        return out;
    }

    private static @Nullable Operation linear(
            OnnxFile file, Map<String, Integer> readers, Operation product, Operation sum) {
        if (!product.type().equals("MatMul")
                || !sum.type().equals("Add")
                || product.inputs().size() != 2
                || sum.inputs().size() != 2
                || readers.getOrDefault(product.outputs().get(0), 0) != 1) {
            return null;
        }
        int at = sum.inputs().indexOf(product.outputs().get(0));
        Tensor weight = file.initializers().get(product.inputs().get(1));
        Tensor bias = at < 0 ? null : file.initializers().get(sum.inputs().get(1 - at));
        if (weight == null
                || bias == null
                || weight.sizes().length != 2
                || bias.sizes().length != 1
                || bias.sizes()[0] != weight.sizes()[1]) {
            return null;
        }
        return new Operation(
                product.name(),
                "Linear",
                "torch.nn",
                List.of(product.inputs().get(0), product.inputs().get(1), bias.name()),
                sum.outputs(),
                Map.of(),
                product.metadata());
    }
}
