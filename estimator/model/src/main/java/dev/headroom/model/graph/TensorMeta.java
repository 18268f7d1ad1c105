package dev.headroom.model.graph;

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
}
