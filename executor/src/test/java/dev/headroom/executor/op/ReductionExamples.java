package dev.headroom.executor.op;

final class ReductionExamples {
    private ReductionExamples() {}

    static void add(Examples o) {
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
