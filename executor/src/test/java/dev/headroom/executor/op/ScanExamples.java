package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;

/** Examples of running sums and their like, of grouped products, and of values put by indices. */
final class ScanExamples {
    private ScanExamples() {}

    static void add(Examples o) {
        for (String name : "cumprod logcumsumexp cummax cummin".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4).integer("dim", 1).halfTolerance(4);
            o.of("aten." + name)
                    .tensor("self", 3, 4)
                    .integer("dim", 0)
                    .halfTolerance(4)
                    .label("columns");
        }
        o.of("aten.cumprod")
                .tensor("self", 5)
                .integer("dim", 0)
                .halfTolerance(4)
                .label("a line");
        differences(o);
        o.of("aten.prod").tensor("self", 2, 3).halfTolerance(4);
        o.of("aten.prod")
                .tensor("self", 2, 3)
                .integer("dim", 1)
                .flag("keepdim", true)
                .label("of rows");
        o.of("aten.histc")
                .tensor("self", 20)
                .integer("bins", 5)
                .integer("min", 0)
                .integer("max", 0);
        o.of("aten.histc")
                .tensor("self", 20)
                .integer("bins", 4)
                .real("min", -1)
                .real("max", 1)
                .label("in a range");
        for (String name : "aten.index_put aten.index_put_".split(" ")) {
            o.of(name)
                    .tensor("self", 4, 3)
                    .indexList("indices", new long[] {2, 0})
                    .tensor("values", 2, 3);
            o.of(name)
                    .tensor("self", 4, 3)
                    .indexList("indices", new long[] {2, 0, 2}, new long[] {1, 1, 1})
                    .tensor("values", 3)
                    .flag("accumulate", true)
                    .label("added");
            o.of(name)
                    .tensor("self", 4, 3)
                    .indexList("indices", null, new long[] {2, 0})
                    .tensor("values", 1)
                    .flag("accumulate", false)
                    .label("one value");
        }
        for (String name : "aten._grouped_mm transformers.grouped_mm_fallback".split(" ")) {
            boolean library = name.startsWith("transformers");
            o.of(name)
                    .tensor(library ? "input" : "self", 5, 3)
                    .tensor(library ? "weight" : "mat2", 2, 3, 4)
                    .fixed("offs", DType.INT32, new long[] {2}, 2, 5);
        }
    }

    private static void differences(Examples o) {
        o.of("aten.diff").tensor("self", 3, 4).integer("n", 1).integer("dim", 1);
        o.of("aten.diff").tensor("self", 5, 2).integer("n", 3).integer("dim", 0).label("of higher order");
        o.of("aten.diff").tensor("self", 3, 4).integer("n", 0).label("a copy");
        o.of("aten.diff")
                .tensor("self", 3, 4)
                .integer("n", 2)
                .integer("dim", 1)
                .tensor("prepend", 3, 1)
                .tensor("append", 3, 2)
                .label("between others");
    }
}
