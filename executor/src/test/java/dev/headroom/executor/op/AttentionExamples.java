package dev.headroom.executor.op;

final class AttentionExamples {
    private AttentionExamples() {}

    static void add(Examples o) {
        attention(o, 3);
        attention(o, 3).real("dropout_p", 0).flag("is_causal", true).label("causal");
        attention(o, 3).real("scale", 0.25).label("scaled");
        attention(o, 3).real("dropout_p", 0.5).label("with dropout").doubleOnly();
        attention(o, 5).label("of longer keys");
        attention(o, 3)
                .mask("attn_mask", new long[] {1, 1, 3, 3}, 1, 0, 0, 1, 1, 0, 1, 0, 1)
                .label("masked");
        attention(o, 3)
                .buffer("attn_mask", new long[] {1, 1, 3, 3}, 0, -1, 0.5, 2, 0, 1, 0, 0, -2)
                .label("with a bias");
        o.of("aten.scaled_dot_product_attention")
                .laidOut("query", new int[] {0, 2, 1, 3}, 2, 2, 3, 8)
                .laidOut("key", new int[] {0, 2, 1, 3}, 2, 2, 3, 8)
                .laidOut("value", new int[] {0, 2, 1, 3}, 2, 2, 3, 8)
                .label("heads from transposed rows")
                .halfTolerance(4);
        o.of("aten.scaled_dot_product_attention")
                .tensor("query", 1, 2, 3, 5)
                .tensor("key", 1, 2, 3, 5)
                .tensor("value", 1, 2, 3, 5)
                .label("of odd width")
                .halfTolerance(4);
    }

    private static Example attention(Examples o, long keys) {
        return o.of("aten.scaled_dot_product_attention")
                .tensor("query", 1, 2, 3, 8)
                .tensor("key", 1, 2, keys, 8)
                .tensor("value", 1, 2, keys, 8)
                .halfTolerance(4);
    }
}
