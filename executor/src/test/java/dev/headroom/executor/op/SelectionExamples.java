package dev.headroom.executor.op;

final class SelectionExamples {
    private static final long[] SQUARE = {3, 3};

    private SelectionExamples() {}

    static void add(Examples o) {
        o.of("aten.embedding").tensor("weight", 5, 3).indices("indices", new long[] {2, 2}, 4, 0, 4, 1);
        o.of("aten.embedding")
                .tensor("weight", 5, 3)
                .indices("indices", new long[] {3}, 4, 0, 1)
                .integer("padding_idx", 3)
                .label("with padding");
        o.of("aten.index").tensor("self", 3, 4).indexList("indices", new long[] {2, 0, 2});
        o.of("aten.index")
                .tensor("self", 3, 4)
                .indexList("indices", new long[] {2, 0}, new long[] {1, 3})
                .label("of two dimensions");
        o.of("aten.index")
                .tensor("self", 3, 4)
                .indexList("indices", null, new long[] {1, 1})
                .label("of the second");
        o.of("aten.index_select").tensor("self", 3, 4).integer("dim", 1).indices("index", new long[] {3}, 3, 0, 3);
        o.of("aten.gather")
                .tensor("self", 3, 4)
                .integer("dim", 1)
                .indices("index", new long[] {3, 2}, 3, 0, 1, 1, 2, 0);
        o.of("aten.where")
                .mask("condition", SQUARE, 1, 0, 0, 1, 1, 0, 0, 0, 1)
                .tensor("self", SQUARE)
                .tensor("other", SQUARE);
        o.of("aten.where")
                .mask("condition", SQUARE, 1, 0, 0, 1, 1, 0, 0, 0, 1)
                .tensor("self", 3)
                .real("other", 0.5)
                .label("broadcast, or a number");
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.masked_fill" + suffix)
                    .tensor("self", SQUARE)
                    .mask("mask", new long[] {3}, 1, 0, 1)
                    .real("value", -2);
        }
        o.of("aten.copy_").tensor("self", 3, 4).tensor("src", 4);
        o.of("aten.fill_").tensor("self", 3, 4).real("value", 2);
        o.of("aten.roll").tensor("self", 3, 4).integers("shifts", 1).integers("dims", 1);
        o.of("aten.repeat").tensor("self", 3, 2).integers("repeats", 2, 1, 3);
        o.of("aten.flip").tensor("self", 3, 4).integers("dims", 1);
        o.of("aten.tril").tensor("self", 3, 4).integer("diagonal", 1);
        o.of("aten.triu").tensor("self", 3, 4);
    }
}
