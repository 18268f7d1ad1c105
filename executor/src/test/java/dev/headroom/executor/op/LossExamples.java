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
        aligned(o);
    }

    private static void aligned(Examples o) {
        for (int reduction = 0; reduction <= 2; reduction++) {
            o.of("aten.ctc_loss")
                    .tensor("log_probs", 6, 2, 4)
                    .indices("targets", new long[] {2, 4}, 1, 1, 3, 2, 2, 3, 1, 1)
                    .integers("input_lengths", 6, 5)
                    .integers("target_lengths", 3, 2)
                    .integer("reduction", reduction)
                    .bound()
                    .doubleOnly();
        }
        o.of("aten.ctc_loss")
                .tensor("log_probs", 5, 3, 4)
                .indices("targets", new long[] {6}, 1, 0, 3, 0, 0, 3)
                .indices("input_lengths", new long[] {3}, 4, 5, 2)
                .indices("target_lengths", new long[] {3}, 3, 0, 3)
                .integer("blank", 2)
                .flag("zero_infinity", true)
                .bound()
                .doubleOnly()
                .label("joined, one too long");
        o.of("aten.ctc_loss")
                .tensor("log_probs", 230, 2, 4)
                .indices("targets", new long[] {2, 2}, 1, 1, 3, 2)
                .integers("input_lengths", 230, 3)
                .integers("target_lengths", 2, 2)
                .flag("zero_infinity", true)
                .bound()
                .doubleOnly()
                .label("large");
        o.of("aten.ctc_loss")
                .tensor("log_probs", 5, 4)
                .indices("targets", new long[] {2}, 1, 3)
                .integers("input_lengths", 5)
                .integers("target_lengths", 2)
                .integer("reduction", 0)
                .bound()
                .doubleOnly()
                .label("one sample");
    }
}
