package dev.headroom.estimator.compile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where Inductor computes sums with the products in them, and where apart. */
class AddedProductsTest {
    private final Joint joint = new Joint();
    private final Value matrix = given("a", 8, 8);
    private final Value bias = given("bias", 8);

    private Value given(String name, long... sizes) {
        return joint.placeholder(Kind.PARAMETER, name, DType.FLOAT32, sizes, dense(sizes));
    }

    private static long[] dense(long... sizes) {
        return sizes.length == 1 ? new long[] {1} : new long[] {sizes[1], 1};
    }

    private Value product(DType type) {
        return joint.make(Kind.LIBRARY, "aten.mm", "", type, new long[] {8, 8}, matrix, matrix);
    }

    private AddedProducts of(Value... returned) {
        Map<Value, Set<Value>> users = new HashMap<>();
        joint.nodes().forEach(v -> v.arguments().forEach(a -> users.computeIfAbsent(a, k -> new LinkedHashSet<>())
                .add(v)));
        return new AddedProducts(joint.nodes(), users, Set.of(returned));
    }

    @Test
    void aSumThatNothingElseReadsOfAProductTakesItIn() {
        Value made = product(DType.FLOAT32);
        Value other = joint.make(Kind.SCATTER, "aten.index_put", "", DType.FLOAT32, new long[] {8, 8}, matrix);
        Value sum = joint.pointwise("aten.add", "", DType.FLOAT32, made, other);
        AddedProducts products = of(sum);
        assertSame(made, products.product(sum));
        assertTrue(products.isTakenIn(made));
    }

    @Test
    void aProductThatIsReturnedStaysApart() {
        Value made = product(DType.FLOAT32);
        Value other = joint.make(Kind.SCATTER, "aten.index_put", "", DType.FLOAT32, new long[] {8, 8}, matrix);
        Value sum = joint.pointwise("aten.add", "", DType.FLOAT32, made, other);
        assertSame(sum, of(made, sum).product(sum));
    }

    @Test
    void aBiasThatElementwiseKernelsReadIsAddedByThem() {
        for (DType type : List.of(DType.FLOAT32, DType.BFLOAT16)) {
            Value added = joint.make(Kind.LIBRARY, "aten.addmm", "", type, new long[] {8, 8}, bias, matrix, matrix);
            joint.pointwise("aten.relu", "", type, added);
            assertEquals(type == DType.FLOAT32, of().apart(added), type::toString);
        }
        Value read = joint.make(Kind.LIBRARY, "aten.addmm", "", DType.FLOAT32, new long[] {8, 8}, bias, matrix, matrix);
        joint.make(Kind.LIBRARY, "aten.mm", "", DType.FLOAT32, new long[] {8, 8}, read, matrix);
        assertFalse(of().apart(read));
    }
}
