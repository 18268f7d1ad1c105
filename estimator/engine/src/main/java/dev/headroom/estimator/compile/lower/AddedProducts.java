package dev.headroom.estimator.compile.lower;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Matrix products with something added, as torch/_inductor/fx_passes/post_grad.py has them: {@code addmm} of a bias
 * that only elementwise kernels read is a product whose readers add the bias; a sum of a product that nothing
 * else reads becomes {@code addmm}, in the place of the sum.
 */
final class AddedProducts {
    /** Values of {@code aten.addmm} that are a product and an addition apart. */
    private final Set<Value> apart = new HashSet<>();

    /** Products by the sums that take them in. */
    private final Map<Value, Value> products = new HashMap<>();

    private final Map<Value, Set<Value>> users;
    private final Set<Value> returned;

    AddedProducts(List<Value> nodes, Map<Value, Set<Value>> users, Set<Value> returned) {
        this.users = users;
        this.returned = returned;
        for (Value v : nodes) {
            if (v.op().equals("aten.addmm")) {
                if (!v.dtype().isReducedFloat() && prefersApart(v.arguments().get(0), v)) {
                    apart.add(v);
                }
            } else if (v.op().equals("aten.add") && v.arguments().size() == 2) {
                fuse(v, v.arguments().get(0), v.arguments().get(1));
                fuse(v, v.arguments().get(1), v.arguments().get(0));
            }
        }
    }

    /** Whether an {@code addmm} is a product that its readers add something to. */
    boolean apart(Value addmm) {
        return apart.contains(addmm);
    }

    /** Whether a product is computed with the sum that reads it. */
    boolean isTakenIn(Value product) {
        return products.containsValue(product);
    }

    /** The product that a sum takes in; the sum itself where there is none. */
    Value product(Value sum) {
        return products.getOrDefault(sum, sum);
    }

    private void fuse(Value sum, Value product, Value added) {
        boolean alone = users.getOrDefault(product, Set.of()).size() == 1 && !returned.contains(product);
        boolean fits = product.op().equals("aten.mm")
                && product != added
                && product.dtype() == added.dtype()
                && added.dtype() == sum.dtype()
                && Arrays.equals(sum.sizes(), product.sizes());
        if (fits && alone && !products.containsKey(sum) && !prefersApart(added, sum)) {
            products.put(sum, product);
        }
    }

    /** {@code should_prefer_unfused_addmm}. */
    private boolean prefersApart(Value added, Value result) {
        return isLikeBias(added, result) && readElementwise(result);
    }

    /** {@code _is_bias_like_addmm_input}. */
    private static boolean isLikeBias(Value added, Value result) {
        return added.isPlaceholder()
                || !Arrays.equals(added.sizes(), result.sizes())
                || Arrays.stream(added.strides()).anyMatch(s -> s == 0);
    }

    /** Whether all readers are elementwise, those of views among them. */
    private boolean readElementwise(Value v) {
        if (returned.contains(v)) {
            return false;
        }
        return users.getOrDefault(v, Set.of()).stream()
                .allMatch(u -> u.kind() == Kind.VIEW || u.kind() == Kind.ITEM
                        ? readElementwise(u)
                        : u.kind() == Kind.POINTWISE
                                && !u.op().equals("aten.cat")
                                && !u.op().equals("aten.constant_pad_nd"));
    }
}
