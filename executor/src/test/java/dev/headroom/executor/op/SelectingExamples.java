package dev.headroom.executor.op;

/** Extremes, clamps, moments, roots and resampling. */
final class SelectingExamples {
    private SelectingExamples() {}

    static void add(Examples o) {
        for (String name : new String[] {"max", "min"}) {
            o.of("aten.a" + name).tensor("self", 3, 4).integers("dim", 1);
            o.of("aten.a" + name).tensor("self", 2, 3, 4).integers("dim", 0, -1).flag("keepdim", true);
            o.of("aten." + name).tensor("self", 3, 4);
            o.of("aten." + name).tensor("self", 3, 4).integer("dim", 0).label("along a dimension");
            o.of("aten." + name).tensor("self", 3, 4).tensor("other", 4).label("of two");
            o.of("aten.arg" + name).tensor("self", 3, 4).integer("dim", 1);
            o.of("aten." + name + "imum").tensor("self", 3, 4).tensor("other", 3, 1);
        }
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.clamp" + suffix).wide("self", 3, 4).real("min", -2).real("max", 1.5);
            o.of("aten.clamp_min" + suffix).wide("self", 3, 4).real("min", -1);
            o.of("aten.clamp_max" + suffix).wide("self", 3, 4).real("max", 1);
            o.of("aten.sqrt" + suffix).positive("self", 3, 4);
        }
        o.of("aten.reciprocal").positive("self", 3, 4);
        moments(o);
        resampling(o);
    }

    private static void moments(Examples o) {
        for (String name : new String[] {"var", "std", "var_mean"}) {
            o.of("aten." + name).tensor("self", 3, 4);
            o.of("aten." + name).tensor("self", 2, 3, 4).integers("dim", 1).flag("keepdim", true);
            o.of("aten." + name).tensor("self", 3, 4).integers("dim", 0).integer("correction", 0);
        }
        o.of("aten.linalg_vector_norm").tensor("self", 3, 4);
        o.of("aten.linalg_vector_norm").tensor("self", 3, 4).integers("dim", 1).flag("keepdim", true);
    }

    private static void resampling(Examples o) {
        for (String name : new String[] {"nearest2d", "bilinear2d"}) {
            o.of("aten.upsample_" + name).tensor("input", 1, 2, 2, 3).integers("output_size", 4, 5);
            o.of("aten.upsample_" + name)
                    .laidOut("input", new int[] {0, 2, 3, 1}, 1, 2, 2, 3)
                    .integers("output_size", 3, 4)
                    .label("channels last");
        }
        o.of("aten.upsample_bilinear2d")
                .tensor("input", 1, 2, 3, 3)
                .integers("output_size", 5, 4)
                .flag("align_corners", true)
                .label("aligned");
    }
}
