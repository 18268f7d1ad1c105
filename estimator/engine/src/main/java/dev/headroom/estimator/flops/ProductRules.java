package dev.headroom.estimator.flops;

import static dev.headroom.estimator.flops.CallSizes.product;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * FLOPs of operators that multiply matrices: 2 a multiply-add (torch/utils/flop_counter.py). Two things are counted
 * that PyTorch's counter leaves out, products with vectors and recurrent layers of cuDNN; and the weight gradient of a
 * grouped convolution costs what the convolution does, where the counter takes it for a dense one (conv_backward_flop).
 */
final class ProductRules {
    /** FLOPs of a call. */
    @FunctionalInterface
    interface Rule {
        OperatorFlops of(CallSizes call);
    }

    static final Map<String, Rule> STANDARD = new HashMap<>();

    static {
        matrices("mm", "self", "mat2");
        matrices("bmm", "self", "mat2");
        matrices("addmm", "mat1", "mat2");
        matrices("addbmm", "batch1", "batch2");
        matrices("baddbmm", "batch1", "batch2");
        matrices("mv", "self", "vec");
        matrices("dot", "self", "tensor");
        matrices("vdot", "self", "other");
        matrices("matmul", "self", "other");
        STANDARD.put("aten.linear", ProductRules::linear);
        STANDARD.put("aten.bilinear", ProductRules::bilinear);
        STANDARD.put("aten.einsum", EinsumFlops::of);
        for (String name : List.of("conv1d", "conv2d", "conv3d", "convolution", "_convolution")) {
            STANDARD.put("aten." + name, call -> convolution(call, call.result()));
        }
        for (String name : List.of("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")) {
            STANDARD.put("aten." + name, call -> convolution(call, call.sizes("input")));
        }
        for (String name : List.of("rnn_tanh", "rnn_relu", "gru", "lstm")) {
            STANDARD.put("aten." + name, ProductRules::recurrent);
        }
        for (String name : List.of("rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell")) {
            STANDARD.put("aten." + name, ProductRules::cell);
        }
    }

    private ProductRules() {}

    private static void matrices(String name, String left, String right) {
        STANDARD.put("aten." + name, call -> {
            long[] a = call.sizes(left);
            long[] b = call.sizes(right);
            return OperatorFlops.products(matmul(a, b), call.wanted(left) + call.wanted(right));
        });
    }

    /** {@code torch.matmul}: vectors count as matrices with one row or column, batches broadcast. */
    static long matmul(long[] a, long[] b) {
        long rows = a.length > 1 ? a[a.length - 2] : 1;
        long inner = a[a.length - 1];
        long columns = b.length > 1 ? b[b.length - 1] : 1;
        long batch = 1;
        for (int d = 3; d <= Math.max(a.length, b.length); d++) {
            long left = d <= a.length ? a[a.length - d] : 1;
            long right = d <= b.length ? b[b.length - d] : 1;
            batch = Math.multiplyExact(batch, left == 1 ? right : left);
        }
        return twice(batch, rows, inner, columns);
    }

    private static OperatorFlops linear(CallSizes call) {
        long[] weight = call.sizes("weight");
        long flops = twice(product(call.sizes("input")), weight.length > 1 ? weight[0] : 1);
        return OperatorFlops.products(flops, call.wanted("input") + call.wanted("weight"));
    }

    private static OperatorFlops bilinear(CallSizes call) {
        long[] first = call.sizes("input1");
        long rows = product(first) / Math.max(1, first[first.length - 1]);
        long flops = twice(rows, product(call.sizes("weight")));
        return OperatorFlops.products(flops, call.wanted("input1") + call.wanted("input2") + call.wanted("weight"));
    }

    /**
     * @param places sizes of what the filter is applied at every place of: the result, of a transposed one the input
     */
    private static OperatorFlops convolution(CallSizes call, long[] places) {
        long[] weight = call.sizes("weight");
        int spatial = weight.length - 2;
        long batch = places.length == weight.length ? places[0] : 1;
        long flops = twice(batch, product(weight));
        for (int d = places.length - spatial; d < places.length; d++) {
            flops = Math.multiplyExact(flops, places[d]);
        }
        return OperatorFlops.products(flops, call.wanted("input") + call.wanted("weight"));
    }

    /** Every weight matrix is applied to every element of every sequence. */
    private static OperatorFlops recurrent(CallSizes call) {
        long[] input = call.sizes(call.node().target().endsWith(".data") ? "data" : "input");
        long elements = product(input) / Math.max(1, input[input.length - 1]);
        OperatorFlops sum = OperatorFlops.NONE;
        List<long[]> weights = call.list("params");
        for (int i = 0; i < weights.size(); i++) {
            if (weights.get(i).length == 2) {
                sum = sum.plus(OperatorFlops.products(
                        twice(elements, product(weights.get(i))), call.wanted("params", i) + backward(call)));
            }
        }
        return sum;
    }

    private static OperatorFlops cell(CallSizes call) {
        long[] input = call.sizes("input");
        long batch = input.length > 1 ? input[0] : 1;
        return OperatorFlops.products(
                        twice(batch, product(call.sizes("w_ih"))), call.wanted("input") + call.wanted("w_ih"))
                .plus(OperatorFlops.products(
                        twice(batch, product(call.sizes("w_hh"))), backward(call) + call.wanted("w_hh")));
    }

    private static int backward(CallSizes call) {
        return call.hasBackward() ? 1 : 0;
    }

    /**
     * Scores, and their product with the values; masks save nothing, parts that see themselves alone do. A fused kernel
     * keeps no scores, so that its backward pass computes them once more.
     */
    static OperatorFlops attention(CallSizes call, boolean fused) {
        long[] query = call.sizes("query");
        long[] key = call.sizes("key");
        long[] value = call.sizes("value");
        int d = query.length - 1;
        long rows = product(query) / Math.max(1, query[d]);
        long keys = key[key.length - 2];
        long[] parts = call.numbers("lengths");
        long pairs = parts.length == 0
                ? Math.multiplyExact(rows, keys)
                : rows
                        / Arrays.stream(parts).sum()
                        * Arrays.stream(parts).map(n -> n * n).sum();
        long scores = twice(pairs, query[d]);
        long mixed = twice(pairs, value[value.length - 1]);
        OperatorFlops out = OperatorFlops.products(scores, call.wanted("query") + call.wanted("key"))
                .plus(OperatorFlops.products(mixed, backward(call) + call.wanted("value")));
        if (!fused || !call.hasBackward()) {
            return out;
        }
        long backward = Math.addExact(Math.multiplyExact(3, scores), Math.multiplyExact(2, mixed));
        return new OperatorFlops(out.forward(), new Flops(backward, 0));
    }

    /** Twice the product of the factors. */
    static long twice(long... factors) {
        return Math.multiplyExact(2, product(factors));
    }
}
