package dev.headroom.executor.op;

final class ElementwiseExamples {
    private static final int[] CHANNELS_LAST = {0, 2, 3, 1};
    private static final String[] ACTIVATIONS = {
        "relu", "sigmoid", "tanh", "silu", "hardswish", "hardsigmoid", "mish", "relu6", "hardtanh", "leaky_relu", "elu"
    };

    private ElementwiseExamples() {}

    static void add(Examples o) {
        for (String name : ACTIVATIONS) {
            o.of("aten." + name).wide("self", 3, 4);
            o.of("aten." + name + "_").wide("self", 3, 4);
            o.of("aten." + name).laidOut("self", CHANNELS_LAST, 2, 3, 2, 2).label("channels last");
        }
        o.of("aten.hardtanh").wide("self", 3, 4).real("min_val", -2).real("max_val", 1.5);
        o.of("aten.hardtanh_").wide("self", 3, 4).real("min_val", -2).real("max_val", 1.5);
        o.of("aten.leaky_relu").tensor("self", 3, 4).real("negative_slope", 0.25);
        o.of("aten.elu").tensor("self", 3, 4).real("alpha", 0.5).real("scale", 2);
        o.of("aten.softplus").wide("self", 3, 4);
        o.of("aten.gelu").wide("self", 3, 4);
        o.of("aten.gelu").wide("self", 3, 4).text("approximate", "tanh");
        o.of("aten.softplus")
                .wide("self", 3, 4)
                .real("beta", 2)
                .real("threshold", 5)
                .label("with a threshold");
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.exp" + suffix).tensor("self", 3, 4);
            o.of("aten.log" + suffix).positive("self", 3, 4);
            arithmetic(o, suffix);
        }
        for (String name : new String[] {"neg", "abs", "sin", "cos"}) {
            o.of("aten." + name).tensor("self", 3, 4);
        }
        for (String name : new String[] {"rsqrt", "sqrt", "sqrt_", "reciprocal"}) {
            o.of("aten." + name).positive("self", 3, 4);
        }
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.clamp" + suffix).tensor("self", 3, 4).real("min", -0.5).real("max", 1);
            o.of("aten.clamp_min" + suffix).tensor("self", 3, 4).real("min", -0.5);
            o.of("aten.clamp_max" + suffix).tensor("self", 3, 4).real("max", 0.5);
        }
        o.of("aten.pow").tensor("self", 3, 4).integer("exponent", 2);
        o.of("aten.pow").tensor("self", 3, 4).integer("exponent", 3);
        o.of("aten.pow").positive("self", 3, 4).real("exponent", -0.5);
        o.of("aten.rsub").tensor("self", 3, 4).real("other", 2).real("alpha", 3);
        o.of("aten.rsub").tensor("self", 3, 4).tensor("other", 4).label("of tensors");
    }

    private static void arithmetic(Examples o, String suffix) {
        for (String name : new String[] {"add", "sub"}) {
            String operator = "aten." + name + suffix;
            o.of(operator).tensor("self", 3, 4).tensor("other", 3, 4);
            o.of(operator)
                    .tensor("self", 3, 4)
                    .tensor("other", 4)
                    .real("alpha", 0.5)
                    .label("broadcast, scaled");
            o.of(operator).tensor("self", 3, 4).real("other", 2).label("a number");
        }
        for (String name : new String[] {"mul", "div"}) {
            String operator = "aten." + name + suffix;
            o.of(operator).tensor("self", 3, 4).positive("other", 3, 4);
            o.of(operator).tensor("self", 2, 3, 4).positive("other", 3, 1).label("broadcast");
            o.of(operator).tensor("self", 3, 4).real("other", 4).label("by a number");
        }
    }
}
