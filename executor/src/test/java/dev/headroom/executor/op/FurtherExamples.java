package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;

/** Examples of functions of several operands, of activations with numbers, and of losses. */
final class FurtherExamples {
    private FurtherExamples() {}

    static void add(Examples o) {
        for (String name : "log_sigmoid hardshrink softshrink selu selu_ celu celu_".split(" ")) {
            o.of("aten." + name).wide("self", 3, 4);
        }
        o.of("aten.threshold").wide("self", 3, 4).real("threshold", 0.3).real("value", 2);
        o.of("aten.celu").wide("self", 3, 4).real("alpha", 2).label("of a slower bend");
        o.of("aten.prelu").tensor("self", 2, 3, 2).tensor("weight", 3);
        o.of("aten.prelu").tensor("self", 2, 3, 2).tensor("weight", 1).label("one slope");
        o.of("aten.floor_divide")
                .fixed("self", DType.INT64, new long[] {3}, 7, -7, 4)
                .integer("other", 2);
        for (String suffix : new String[] {"", "_"}) {
            for (String name : "addcmul addcdiv".split(" ")) {
                o.of("aten." + name + suffix)
                        .tensor("self", 3, 4)
                        .tensor("tensor1", 3, 4)
                        .positive("tensor2", 3, 4)
                        .real("value", 0.5);
            }
            o.of("aten.remainder" + suffix).fraction("self", 3, 4).buffer("other", new long[] {1}, 1.25);
            o.of("aten.remainder" + suffix)
                    .fraction("self", 3, 4)
                    .real("other", 1.25)
                    .label("of a number");
            o.of("aten.fmod" + suffix).fraction("self", 3, 4).buffer("other", new long[] {1}, 1.25);
            o.of("aten.hypot" + suffix).positive("self", 3, 4).positive("other", 3, 4);
            o.of("aten.xlogy" + suffix).positive("self", 3, 4).positive("other", 3, 4);
        }
        o.of("aten.remainder")
                .fixed("self", DType.FLOAT64, new long[] {2}, 7, -7)
                .tensor("other", 2)
                .doubleOnly()
                .label("by a variable");
        o.of("aten.lerp").tensor("self", 3, 4).tensor("end", 3, 4).real("weight", 0.25);
        o.of("aten.lerp")
                .tensor("self", 3, 4)
                .tensor("end", 3, 4)
                .tensor("weight", 4)
                .label("by weights");
        for (int reduction = 0; reduction <= 2; reduction++) {
            losses(o, reduction);
        }
        o.of("aten.pow")
                .integer("self", 2)
                .buffer("exponent", new long[] {3}, 0.5, 2, -1)
                .label("of a number");
        o.of("aten.rms_norm")
                .tensor("input", 3, 4)
                .integers("normalized_shape", 4)
                .tensor("weight", 4);
        o.of("aten.rms_norm")
                .tensor("input", 2, 3, 2)
                .integers("normalized_shape", 3, 2)
                .none("weight")
                .real("eps", 1e-3)
                .label("without weights");
        o.of("aten.logsumexp").tensor("self", 3, 4).integers("dim", 1);
        o.of("aten.logsumexp")
                .tensor("self", 3, 4)
                .integers("dim", 0)
                .flag("keepdim", true)
                .label("kept");
    }

    private static void losses(Examples o, int reduction) {
        for (String name : "l1_loss smooth_l1_loss huber_loss".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4).tensor("target", 3, 4).integer("reduction", reduction);
        }
        o.of("aten.smooth_l1_loss")
                .tensor("self", 3, 4)
                .tensor("target", 3, 4)
                .integer("reduction", reduction)
                .real("beta", 0.5)
                .label("of a bend");
        o.of("aten.binary_cross_entropy")
                .fraction("self", 3, 4)
                .fraction("target", 3, 4)
                .buffer("weight", new long[] {4}, 2, 0.5, 1, 1.5)
                .integer("reduction", reduction)
                .doubleOnly();
        o.of("aten.binary_cross_entropy_with_logits")
                .tensor("self", 3, 4)
                .fraction("target", 3, 4)
                .none("weight")
                .none("pos_weight")
                .integer("reduction", reduction);
        o.of("aten.binary_cross_entropy_with_logits")
                .tensor("self", 2, 2)
                .buffer("target", new long[] {2, 2}, 0.25, 1, 0, 0.75)
                .buffer("weight", new long[] {2}, 2, 0.5)
                .buffer("pos_weight", new long[] {2}, 1.5, 3)
                .integer("reduction", reduction)
                .label("weighted");
        o.of("aten.kl_div").tensor("self", 3, 4).fraction("target", 3, 4).integer("reduction", reduction);
        o.of("aten.kl_div")
                .tensor("self", 3, 4)
                .tensor("target", 3, 4)
                .integer("reduction", reduction)
                .flag("log_target", true)
                .label("of logarithms");
    }
}
