package dev.headroom.estimator.flops;

import dev.headroom.estimator.op.StandardRules;
import java.util.Set;

/**
 * What one operator call costs. Matrix products, convolutions and attention count as PyTorch's counter counts what they
 * are made of ({@link ProductRules}); operators that only make another view of their argument cost nothing;
 * normalisations, softmax and losses a few operations an element; anything else one an element of the largest tensor
 * that it touches.
 *
 * @param forward of the call
 * @param backward of its gradients, nothing where none is wanted
 */
public record OperatorFlops(Flops forward, Flops backward) {
    static final OperatorFlops NONE = new OperatorFlops(Flops.NONE, Flops.NONE);

    /** A mean, a variance, a difference, a scale and a shift, say. */
    private static final long FEW = 5;

    private static final Set<String> SEVERAL_PASSES = Set.of("normalisation", "softmax", "losses");

    /** Operators of these families make views or fill memory. */
    private static final Set<String> FREE = Set.of("views", "creation");

    private static final Set<String> NOTHING_TO_COMPUTE = Set.of("aten._assert_tensor_metadata", "aten.sym_size");

    private static final Set<String> ATTENTION =
            Set.of("aten.scaled_dot_product_attention", "transformers.attention_in_parts");

    static OperatorFlops of(CallSizes call, boolean fusedAttention) {
        String operator = call.node().operator();
        if (ATTENTION.contains(operator)) {
            return ProductRules.attention(call, fusedAttention);
        }
        ProductRules.Rule rule = ProductRules.STANDARD.get(operator);
        return rule != null ? rule.of(call) : elementwise(call, operator);
    }

    private static OperatorFlops elementwise(CallSizes call, String operator) {
        String family = StandardRules.registry().family(operator);
        if (family.isEmpty()) {
            family = StandardRules.registry().family(call.node().target());
        }
        if (!operator.startsWith("aten.") || FREE.contains(family) || NOTHING_TO_COMPUTE.contains(operator)) {
            return NONE;
        }
        long elements = Math.multiplyExact(call.largest(), SEVERAL_PASSES.contains(family) ? FEW : 1);
        Flops once = new Flops(0, elements);
        return new OperatorFlops(once, call.hasBackward() ? once : Flops.NONE);
    }

    /** Products whose gradients are products of the same size, one an argument that wants a gradient. */
    static OperatorFlops products(long flops, int gradients) {
        return new OperatorFlops(new Flops(flops, 0), new Flops(Math.multiplyExact(flops, (long) gradients), 0));
    }

    OperatorFlops plus(OperatorFlops other) {
        return new OperatorFlops(forward.plus(other.forward), backward.plus(other.backward));
    }
}
