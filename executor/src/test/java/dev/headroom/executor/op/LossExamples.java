package dev.headroom.executor.op;

final class LossExamples {
    private LossExamples() {}

    private static final long[] CLASSES = {4, 0, 2, 1};

    static void add(Examples o) {
        for (int reduction = 0; reduction <= 2; reduction++) {
            o.of("aten.cross_entropy_loss")
                    .tensor("self", 4, 5)
                    .indices("target", new long[] {4}, CLASSES)
                    .none("weight")
                    .integer("reduction", reduction);
            o.of("aten.nll_loss")
                    .tensor("self", 4, 5)
                    .indices("target", new long[] {4}, CLASSES)
                    .none("weight")
                    .integer("reduction", reduction);
            o.of("aten.nll_loss2d")
                    .tensor("self", 1, 5, 2, 2)
                    .indices("target", new long[] {1, 2, 2}, CLASSES)
                    .none("weight")
                    .integer("reduction", reduction);
        }
        o.of("aten.cross_entropy_loss")
                .tensor("self", 4, 5)
                .indices("target", new long[] {4}, 4, -100, 2, 1)
                .label("one ignored");
        o.of("aten.cross_entropy_loss")
                .tensor("self", 1, 5, 2, 2)
                .indices("target", new long[] {1, 2, 2}, CLASSES)
                .label("of planes");
        o.of("aten.nll_loss_nd").tensor("self", 4, 5).indices("target", new long[] {4}, CLASSES);
        for (int reduction = 0; reduction <= 2; reduction++) {
            o.of("aten.mse_loss").tensor("self", 3, 4).tensor("target", 3, 4).integer("reduction", reduction);
        }
    }
}
