package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.Set;

/** What the partitioner says of operators ({@code get_default_op_list}). */
final class OperatorClasses {
    /** Elementwise for Inductor, yet not in the list. */
    private static final Set<String> NOT_LISTED = Set.of(
            "aten.cat",
            "aten.constant_pad_nd",
            "aten.select_scatter",
            "aten.slice_scatter",
            "aten.embedding",
            "aten.cumsum",
            "aten.amin",
            "aten.minimum",
            "aten.flip",
            "aten.tril",
            "aten.convolution.bias");

    /** Never computed again, however little may be kept. */
    private static final Set<String> INTENSIVE = Set.of(
            "aten.mm",
            "aten.addmm",
            "aten.bmm",
            "aten.convolution",
            "aten._scaled_dot_product_flash_attention",
            "aten._scaled_dot_product_efficient_attention",
            "aten.upsample_bilinear2d");

    private OperatorClasses() {}

    static boolean intensive(Value v) {
        return INTENSIVE.contains(v.op());
    }

    /** Whether it may be computed again; the same operators can be fused. */
    static boolean recomputable(Value v) {
        return switch (v.kind()) {
            case VIEW, ITEM -> true;
            case POINTWISE, GATHER, REDUCTION -> !NOT_LISTED.contains(v.op());
            default -> false;
        };
    }

    static boolean isView(Value v) {
        return v.kind() == Kind.VIEW;
    }

    /** Whether a reader can take over what it reads; anything can be written right into a concatenation. */
    static boolean fuses(Value read, Value reader) {
        return reader.op().equals("aten.cat") || recomputable(read) && recomputable(reader);
    }
}
