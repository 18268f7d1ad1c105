package dev.headroom.executor.op;

/** Values that are put, found and counted. */
final class SetExamples {
    private SetExamples() {}

    static void add(Examples o) {
        fillings(o);
        membership(o);
        differences(o);
        long[] six = {6};
        o.of("aten.bincount")
                .indices("self", six, 3, 0, 3, 1, 5, 3)
                .none("weights")
                .integer("minlength", 7);
        o.of("aten.bincount")
                .indices("self", six, 3, 0, 3, 1, 5, 3)
                .fixed("weights", dev.headroom.model.graph.DType.FLOAT32, six, 0.5, 1, 2, -1, 4, 0.25)
                .integer("minlength", 7)
                .label("with weights");
        o.of("aten.bincount")
                .indices("self", six, 3, 0, 3, 1, 5, 3)
                .indices("weights", six, 5, 1, 2, 1, 4, 2)
                .integer("minlength", 7)
                .label("with whole weights");
    }

    private static void differences(Examples o) {
        o.of("aten.gradient").tensor("self", 4, 5);
        o.of("aten.gradient")
                .tensor("self", 4, 5)
                .real("spacing", 0.5)
                .integer("dim", 1)
                .integer("edge_order", 2)
                .label("of the second order");
        o.of("aten.pad_sequence")
                .list("sequences", new long[] {2, 3}, new long[] {4, 3})
                .flag("batch_first", true)
                .real("padding_value", 0.5);
        o.of("aten.pad_sequence")
                .list("sequences", new long[] {2, 3}, new long[] {4, 3}, new long[] {1, 3})
                .flag("batch_first", false)
                .real("padding_value", 0)
                .text("padding_side", "left")
                .label("at the left");
        o.of("aten.sum_to_size").tensor("self", 2, 3, 4).integers("size", 3, 1);
        o.of("aten.sum_to_size").tensor("self", 3, 4).integers("size", 3, 4).label("of its own size");
        o.of("aten.nanmedian").tensor("self", 3, 5).label("of all");
        o.of("aten.nanmedian")
                .buffer("self", new long[] {5}, 1, Double.NaN, 4, Double.NaN, 2)
                .label("of all, with what is no number");
    }

    private static void fillings(Examples o) {
        o.of("aten.fill_diagonal_").tensor("self", 3, 4).real("fill_value", 1.5);
        o.of("aten.fill_diagonal_")
                .tensor("self", 3, 3, 3)
                .real("fill_value", 0)
                .label("of a cube");
        for (boolean wrap : new boolean[] {true, false}) {
            o.of("aten.fill_diagonal_")
                    .tensor("self", 7, 2)
                    .integer("fill_value", 2)
                    .flag("wrap", wrap)
                    .label(wrap ? "again and again" : "of a tall one");
        }
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.index_fill" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 1)
                    .indices("index", new long[] {2}, 3, 1)
                    .buffer("value", new long[0], 0.5)
                    .label("with a tensor");
        }
    }

    private static void membership(Examples o) {
        long[] shape = {2, 3};
        for (boolean inverted : new boolean[] {false, true}) {
            String how = inverted ? ", inverted" : "";
            o.of("aten.isin")
                    .indices("elements", shape, 4, 0, 7, 1, 6, 2)
                    .indices("test_elements", new long[] {3}, 7, 2, 9)
                    .flag("assume_unique", false)
                    .flag("invert", inverted)
                    .label("few" + how);
            o.of("aten.isin")
                    .indices("elements", shape, 4, 0, 7, 1, 6, 2)
                    .indices("test_elements", new long[] {2, 7}, 7, 2, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 0)
                    .flag("assume_unique", true)
                    .flag("invert", inverted)
                    .label("many" + how);
            o.of("aten.isin")
                    .indices("elements", shape, 4, 0, 7, 1, 6, 7)
                    .integer("test_element", 7)
                    .flag("assume_unique", false)
                    .flag("invert", inverted)
                    .label("one" + how);
        }
        o.of("aten.isin")
                .integer("element", 7)
                .indices("test_elements", new long[] {3}, 7, 2, 9)
                .label("an element");
    }
}
