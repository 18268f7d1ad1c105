package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.quant.FourBit;
import dev.headroom.model.quant.QuantKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tensors that a quantised weight is made of.
 *
 * @param doubleQuant the scales of 4-bit blocks are quantised too
 * @param stored the type that weights have before they are quantised
 * @param packed the type of the bytes of 4-bit weights ({@code bnb_4bit_quant_storage})
 */
record QuantisedTensors(QuantKind kind, boolean doubleQuant, DType stored, DType packed) {
    /**
     * One of them.
     *
     * @param argument of the layer's operator
     */
    record Part(String argument, String qualifiedName, String value, TensorMeta meta) {
        boolean isWeight() {
            return argument.equals("weight");
        }

        HeldTensor held() {
            Graph.InputKind kind = isWeight() ? Graph.InputKind.PARAMETER : Graph.InputKind.CONSTANT;
            return new HeldTensor(kind, meta, isWeight(), value, qualifiedName).of(meta.dtype());
        }
    }

    /** The weight itself first. */
    List<Part> of(LinearCall call, String weight) {
        long n = call.out() * call.in();
        List<Part> out = new ArrayList<>();
        if (kind == QuantKind.INT8) {
            out.add(part("weight", call, weight, TensorMeta.of(DType.INT8, call.out(), call.in())));
            out.add(part("SCB", call, weight, TensorMeta.of(DType.FLOAT32, call.out())));
            return out;
        }
        out.add(part("weight", call, weight, TensorMeta.of(packed, FourBit.packed(n) / packed.bytes(), 1)));
        DType scales = doubleQuant ? DType.UINT8 : DType.FLOAT32;
        out.add(part("absmax", call, weight, TensorMeta.of(scales, FourBit.scales(n))));
        out.add(part("code", call, weight, TensorMeta.of(DType.FLOAT32, FourBit.CODES)));
        if (doubleQuant) {
            out.add(part("offset", call, weight, TensorMeta.of(DType.FLOAT32)));
            out.add(part("nested_absmax", call, weight, TensorMeta.of(DType.FLOAT32, FourBit.nestedScales(n))));
            out.add(part("nested_code", call, weight, TensorMeta.of(DType.FLOAT32, FourBit.NESTED_CODES)));
        }
        return out;
    }

    private static Part part(String argument, LinearCall call, String weight, TensorMeta meta) {
        if (argument.equals("weight")) {
            return new Part(argument, weight, call.weight(), meta);
        }
        return new Part(argument, named(weight, argument), call.weight() + "_" + argument, meta);
    }

    /** The name of a tensor that belongs to a quantised weight. */
    static String named(@Nullable String weight, String argument) {
        String owner = ModelState.owner(weight == null ? "" : weight);
        return (owner.isEmpty() ? "" : owner + ".") + argument;
    }
}
