package dev.headroom.estimator.op.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutocastPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "aten.linear.default, LOWER",
        "aten.conv_transpose2d.input, LOWER",
        "aten.scaled_dot_product_attention.default, LOWER",
        "aten.layer_norm.default, FLOAT32",
        "aten.pow.Tensor_Scalar, FLOAT32",
        "aten.softmax.int, FLOAT32_TYPE",
        "aten.sum.dim_IntList, FLOAT32_TYPE",
        "aten.index_put.default, PROMOTE",
        "aten.binary_cross_entropy.default, BANNED"
    })
    void overloadsHaveAPolicy(String target, AutocastPolicy policy) {
        assertEquals(policy, AutocastPolicy.of(target));
    }

    @Test
    void othersRunAsTheyAre() {
        // Batch normalisation takes half-precision inputs, in-place variants and composites are not registered.
        assertNull(AutocastPolicy.of("aten.batch_norm.default"));
        assertNull(AutocastPolicy.of("aten.add.Tensor"));
        assertNull(AutocastPolicy.of("aten.cross_entropy_loss.default"));
        assertNull(AutocastPolicy.of("aten.addmm_.default"));
        assertNull(AutocastPolicy.of("aten.sum.dtype"));
    }
}
