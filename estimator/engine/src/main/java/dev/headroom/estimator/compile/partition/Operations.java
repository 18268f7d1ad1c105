package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.ConvolutionKey;
import dev.headroom.estimator.compile.trace.Value;
import java.util.List;

/** Floating-point operations as PyTorch counts them (torch/utils/flop_counter.py); one of what it does not count. */
final class Operations {
    private Operations() {}

    static long of(Value v) {
        List<Value> given = v.arguments();
        return switch (v.op()) {
            case "aten.mm", "aten.addmm", "aten.bmm", "aten.baddbmm" ->
                Math.max(1, 2 * v.numel() * given.get(given.size() - 2).size(-1));
            case "aten.convolution" -> {
                Value weight = given.get(1);
                // Each position is read once by every weight: positions of the result, or of what is transposed.
                Value positions = ConvolutionKey.of(v).transposed() ? given.get(0) : v;
                yield Math.max(1, 2 * positions.numel() * (weight.numel() / weight.size(0)));
            }
            case "aten._scaled_dot_product_flash_attention",
                    "aten._scaled_dot_product_efficient_attention",
                    "aten._scaled_dot_product_cudnn_attention" -> {
                Value query = given.get(0);
                Value key = given.get(1);
                long scores = query.size(0) * query.size(1) * query.size(2) * key.size(2);
                yield Math.max(1, 2 * scores * (query.size(3) + given.get(2).size(3)));
            }
            default -> 1;
        };
    }
}
