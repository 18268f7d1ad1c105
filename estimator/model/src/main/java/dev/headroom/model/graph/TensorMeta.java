package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an exported graph says of a tensor value.
 *
 * @param sizes one entry a dimension, in elements
 * @param strides one entry a dimension, in elements
 * @param storageOffset in elements
 */
public record TensorMeta(
        DType dtype, List<SymExpr> sizes, List<SymExpr> strides, SymExpr storageOffset, boolean requiresGrad) {
    /** A size that stands for any. */
    private static final long OPEN = 60;

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

    /** Whether memory is row-major and dense, whatever the sizes that are open. */
    boolean isContiguous() {
        Map<String, Long> open = new HashMap<>();
        sizes.forEach(s -> s.forEachSymbol(name -> open.put(name, OPEN)));
        strides.forEach(s -> s.forEachSymbol(name -> open.put(name, OPEN)));
        try {
            return Shapes.isContiguous(
                    sizes.stream().mapToLong(s -> s.evaluate(open)).toArray(),
                    strides.stream().mapToLong(s -> s.evaluate(open)).toArray());
        } catch (UserInputException e) {
            return false; // sizes that no batch can have
        }
    }

    /** The same, which requires no gradient. */
    public TensorMeta frozen() {
        return requiresGrad ? new TensorMeta(dtype, sizes, strides, storageOffset, false) : this;
    }
}
