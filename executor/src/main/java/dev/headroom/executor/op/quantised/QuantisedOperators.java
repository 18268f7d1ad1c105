package dev.headroom.executor.op.quantised;

import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;

/** The operators of graphs with quantised weights. */
public final class QuantisedOperators {
    private QuantisedOperators() {}

    public static void register(Operators o) {
        o.add1("bitsandbytes.linear_4bit", FourBitLinear::run);
        o.add1("bitsandbytes.linear_8bit_lt", EightBitLinear::run);
        o.add1("bitsandbytes.dequantize_4bit", FourBitLinear::restored);
        o.add1("bitsandbytes.int8_vectorwise_dequant", EightBitLinear::restored);
        o.add1("aten.requires_grad_", (e, a) -> {
            Tensor self = a.tensor("self");
            if (self.isLeaf()) {
                self.requireGrad(true);
            }
            return self;
        });
    }
}
