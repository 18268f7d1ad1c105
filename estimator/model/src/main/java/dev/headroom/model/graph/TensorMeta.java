package dev.headroom.model.graph;

import java.util.Arrays;
import java.util.List;

/**
 * What an exported graph says of a tensor value.
 *
 * @param sizes one entry a dimension, in elements
 * @param strides one entry a dimension, in elements
 * @param storageOffset in elements
 */
public record TensorMeta(
        DType dtype, List<SymExpr> sizes, List<SymExpr> strides, SymExpr storageOffset, boolean requiresGrad) {
    public TensorMeta {
        sizes = List.copyOf(sizes);
        strides = List.copyOf(strides);
    }

    /** A row-major tensor of known sizes that requires no gradient. */
    public static TensorMeta of(DType dtype, long... sizes) {
        List<SymExpr> strides =
                Arrays.stream(Shapes.contiguous(sizes)).mapToObj(SymExpr::of).toList();
        return new TensorMeta(
                dtype, Arrays.stream(sizes).mapToObj(SymExpr::of).toList(), strides, SymExpr.of(0), false);
    }

    /** The same, which requires no gradient. */
    public TensorMeta frozen() {
        return requiresGrad ? new TensorMeta(dtype, sizes, strides, storageOffset, false) : this;
    }
}
