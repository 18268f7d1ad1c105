package dev.headroom.estimator.program;

import java.util.Set;

/**
 * Operators that compute by another algorithm, forward or backward, under {@code torch.use_deterministic_algorithms}
 * (torch/__init__.py lists them): mostly by writing with sorted indices, which takes scratch that no rule knows. All
 * others allocate what they always do, but for scalars that fresh memory is filled from.
 */
final class Deterministic {
    private static final Set<String> OTHERS = Set.of(
            "aten.index_add",
            "aten.index_add_",
            "aten.index_copy",
            "aten.index_copy_",
            "aten.index_select",
            "aten.index_put",
            "aten.index_put_",
            "aten.gather",
            "aten.scatter",
            "aten.scatter_",
            "aten.scatter_add",
            "aten.scatter_add_",
            "aten.scatter_reduce",
            "aten.put",
            "aten.put_",
            "aten.repeat_interleave",
            "aten.replication_pad2d",
            "aten.upsample_linear1d",
            "aten.upsample_bilinear2d",
            "aten.upsample_trilinear3d");

    private Deterministic() {}

    /** Whether an operator does. */
    static boolean differs(String operator) {
        return OTHERS.contains(operator);
    }
}
