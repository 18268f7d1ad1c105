package dev.headroom.executor.op;

final class LossExamples {
    private LossExamples() {}

    static void add(Examples o) {
        o.of("aten.mse_loss").tensor("self", 3, 4).tensor("target", 3, 4);
    }
}
