package dev.headroom.executor.op;

final class ReductionExamples {
    private ReductionExamples() {}

    static void add(Examples o) {
        for (String name : new String[] {"max", "min"}) {
            o.of("aten." + name).tensor("self", 3, 4);
            o.of("aten." + name).tensor("self", 3, 4).integer("dim", 1).label("along a dimension");
            o.of("aten." + name).tensor("self", 3, 4).tensor("other", 3, 4).label("of two");
            o.of("aten." + name + "imum").tensor("self", 3, 4).tensor("other", 4);
            o.of("aten.a" + name).tensor("self", 3, 4).integers("dim", 0).flag("keepdim", true);
        }
        for (String name : new String[] {"var", "std", "var_mean"}) {
            o.of("aten." + name).tensor("self", 3, 4).halfTolerance(4);
            o.of("aten." + name)
                    .tensor("self", 3, 4)
                    .integers("dim", 1)
                    .integer("correction", 0)
                    .flag("keepdim", true)
                    .label("along a dimension")
                    .halfTolerance(4);
        }
        o.of("aten.linalg_vector_norm").tensor("self", 3, 4).integer("ord", 2).integers("dim", -1);
        o.of("aten.cumsum").tensor("self", 3, 4).integer("dim", 1);
        for (String name : new String[] {"aten.softmax", "aten.log_softmax"}) {
            o.of(name).tensor("self", 3, 4).integer("dim", -1);
            o.of(name).tensor("self", 2, 3, 4).integer("dim", 1).label("of a middle dimension");
        }
        for (String reduction : new String[] {"aten.sum", "aten.mean"}) {
            o.of(reduction).tensor("self", 3, 4);
            o.of(reduction).tensor("self", 2, 3, 4).integers("dim", 1, -1).flag("keepdim", true);
            o.of(reduction)
                    .laidOut("self", new int[] {1, 0}, 3, 4)
                    .integers("dim", 0)
                    .label("transposed");
        }
    }
}
