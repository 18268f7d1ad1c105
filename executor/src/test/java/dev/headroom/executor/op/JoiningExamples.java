package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;

final class JoiningExamples {
    private JoiningExamples() {}

    static void add(Examples o) {
        o.of("aten.cat").list("tensors", new long[] {2, 3}, new long[] {2, 1}).integer("dim", -1);
        o.of("aten.stack").list("tensors", new long[] {2, 3}, new long[] {2, 3}).integer("dim", 1);
        o.of("aten.pad").tensor("self", 2, 3).integers("pad", 1, 2).real("value", 0.5);
        o.of("aten.constant_pad_nd").tensor("self", 2, 3).integers("pad", 1, -1, 0, 2);
        for (String suffix : new String[] {"", "_"}) {
            String first = suffix.isEmpty() ? "input" : "self";
            o.of("aten.dropout" + suffix).tensor(first, 4, 5).real("p", 0.5).flag("train", true);
            o.of("aten.feature_dropout" + suffix)
                    .tensor(first, 4, 5, 2)
                    .real("p", 0.5)
                    .flag("train", true);
        }
        o.of("aten.dropout")
                .tensor("input", 4, 5)
                .real("p", 0.5)
                .flag("train", false)
                .label("evaluation");
        o.of("aten.bernoulli_")
                .fixed("self", DType.FLOAT32, new long[] {3}, 0, 0, 0)
                .real("p", 0.5);
    }
}
