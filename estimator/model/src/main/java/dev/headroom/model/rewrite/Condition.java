package dev.headroom.model.rewrite;

import java.util.ArrayList;
import java.util.List;

/**
 * A boolean tensor: an element is true where all affine terms are at most zero.
 *
 * @param sizes of the tensor
 * @param terms those that are not true everywhere; none: all elements are true
 * @param never whether all elements are false
 */
record Condition(long[] sizes, List<Affine> terms, boolean never) {
    /** Elements where {@code a <= 0}. */
    static Condition atMostZero(Affine a) {
        if (a.max() <= 0) {
            return new Condition(a.sizes(), List.of(), false);
        }
        if (a.min() > 0) {
            return new Condition(a.sizes(), List.of(), true);
        }
        return new Condition(a.sizes(), List.of(a), false);
    }

    static Condition constant(long[] sizes, boolean value) {
        return new Condition(sizes, List.of(), !value);
    }

    boolean always() {
        return terms.isEmpty() && !never;
    }

    Condition and(Condition other) {
        long[] to = dev.headroom.model.graph.Shapes.broadcast(sizes, other.sizes);
        List<Affine> all = new ArrayList<>();
        terms.forEach(t -> all.add(t.expand(to)));
        other.terms.forEach(t -> all.add(t.expand(to)));
        return new Condition(to, List.copyOf(all), never || other.never);
    }

    Condition expand(long[] to) {
        return new Condition(to, terms.stream().map(t -> t.expand(to)).toList(), never);
    }

    /** Whether it is a causal mask: the last dimension's index is at most the one before's, and both are as long. */
    boolean isCausal() {
        int n = sizes.length;
        if (never || terms.size() != 1 || n < 2 || sizes[n - 1] != sizes[n - 2]) {
            return false;
        }
        Affine a = terms.get(0);
        for (int d = 0; d < n - 2; d++) {
            if (a.coefficients()[d] != 0) {
                return false;
            }
        }
        return a.coefficients()[n - 1] == 1 && a.coefficients()[n - 2] == -1 && a.constant() == 0;
    }

    /** Whether its elements are the same for every index of the first dimension. */
    boolean sameForAllBatches() {
        return terms.stream().allMatch(t -> t.coefficients()[0] == 0);
    }
}
