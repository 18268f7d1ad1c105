package dev.headroom.executor.op;

/** Examples of pooling, resampling, sampling and padding of one to three dimensions. */
final class VolumeExamples {
    private VolumeExamples() {}

    static void add(Examples o) {
        pooling(o);
        resampling(o);
        for (String mode : "reflect replicate circular".split(" ")) {
            o.of("aten.pad")
                    .tensor("self", 2, 2, 4)
                    .integers("pad", 2, 1)
                    .text("mode", mode)
                    .label(mode);
            o.of("aten.pad")
                    .tensor("self", 1, 2, 3, 4)
                    .integers("pad", 1, 2, 0, 1)
                    .text("mode", mode)
                    .label(mode + ", two dimensions");
        }
        o.of("aten.reflection_pad1d").tensor("self", 2, 4).integers("padding", 1, 2);
        o.of("aten.reflection_pad2d").tensor("self", 2, 3, 4).integers("padding", 1, 2, 1, 0);
        o.of("aten.reflection_pad3d").tensor("self", 2, 2, 3, 3).integers("padding", 1, 2, 1, 0, 1, 1);
        o.of("aten.replication_pad1d").tensor("self", 2, 4).integers("padding", 1, 2);
        o.of("aten.replication_pad2d").tensor("self", 2, 3, 4).integers("padding", 1, 2, 1, 0);
        o.of("aten.replication_pad3d").tensor("self", 2, 2, 3, 3).integers("padding", 1, 2, 1, 0, 1, 1);
    }

    private static void pooling(Examples o) {
        for (String name : "aten.max_pool1d aten.max_pool1d_with_indices".split(" ")) {
            o.of(name)
                    .tensor("self", 2, 3, 7)
                    .integers("kernel_size", 3)
                    .integers("stride", 2)
                    .integers("padding", 1);
        }
        for (String name : "aten.max_pool3d aten.max_pool3d_with_indices".split(" ")) {
            o.of(name)
                    .tensor("self", 2, 2, 3, 4, 5)
                    .integers("kernel_size", 2, 2, 3)
                    .integers("stride", 1, 2, 2)
                    .integers("padding", 0, 1, 1);
        }
        o.of("aten.max_pool3d")
                .laidOut("self", new int[] {0, 2, 3, 4, 1}, 1, 3, 3, 3, 3)
                .integers("kernel_size", 2)
                .label("channels last");
        o.of("aten.avg_pool3d")
                .tensor("self", 2, 2, 3, 4, 3)
                .integers("kernel_size", 2)
                .integers("padding", 1)
                .flag("ceil_mode", true);
        o.of("aten.avg_pool3d")
                .tensor("self", 2, 3, 4, 3)
                .integers("kernel_size", 2)
                .integers("padding", 1)
                .flag("count_include_pad", false)
                .label("what is inside");
        o.of("aten.avg_pool3d")
                .tensor("self", 2, 3, 4, 3)
                .integers("kernel_size", 2)
                .integer("divisor_override", 3)
                .label("divided by three");
        o.of("aten.adaptive_avg_pool3d").tensor("self", 2, 2, 3, 4, 5).integers("output_size", 2, 3, 2);
        o.of("aten.adaptive_max_pool1d").tensor("self", 2, 3, 7).integers("output_size", 3);
        o.of("aten.adaptive_max_pool2d").tensor("self", 2, 2, 5, 4).integers("output_size", 3, 2);
        o.of("aten.adaptive_max_pool2d")
                .laidOut("self", new int[] {0, 2, 3, 1}, 2, 3, 4, 4)
                .integers("output_size", 2, 2)
                .label("channels last");
        o.of("aten.adaptive_max_pool3d").tensor("self", 2, 2, 3, 4, 5).integers("output_size", 2, 3, 2);
        o.of("aten.max_unpool2d")
                .tensor("self", 1, 2, 2, 2)
                .indices("indices", new long[] {1, 2, 2, 2}, 0, 3, 9, 10, 5, 2, 8, 15)
                .integers("output_size", 4, 4);
        o.of("aten.max_unpool3d")
                .tensor("self", 1, 2, 1, 1, 2)
                .indices("indices", new long[] {1, 2, 1, 1, 2}, 0, 7, 3, 4)
                .integers("output_size", 2, 2, 2);
    }

    private static void resampling(Examples o) {
        for (String name : "upsample_nearest _upsample_nearest_exact".split(" ")) {
            o.of("aten." + name + "1d").tensor("input", 2, 3, 4).integers("output_size", 7);
            o.of("aten." + name + "3d").tensor("input", 1, 2, 2, 3, 2).integers("output_size", 3, 5, 4);
        }
        o.of("aten._upsample_nearest_exact2d").tensor("input", 1, 2, 3, 4).integers("output_size", 5, 3);
        o.of("aten._upsample_nearest_exact2d")
                .laidOut("input", new int[] {0, 2, 3, 1}, 1, 2, 3, 4)
                .integers("output_size", 5, 3)
                .label("channels last");
        for (boolean corners : new boolean[] {false, true}) {
            String label = corners ? "corners" : "";
            o.of("aten.upsample_linear1d")
                    .tensor("input", 2, 3, 4)
                    .integers("output_size", 7)
                    .flag("align_corners", corners)
                    .label(label);
            o.of("aten.upsample_trilinear3d")
                    .tensor("input", 1, 2, 2, 3, 2)
                    .integers("output_size", 3, 5, 4)
                    .flag("align_corners", corners)
                    .label(label);
            o.of("aten.upsample_bicubic2d")
                    .tensor("input", 1, 2, 3, 4)
                    .integers("output_size", 5, 7)
                    .flag("align_corners", corners)
                    .label(label);
        }
        for (String name : "aten.grid_sampler aten.grid_sampler_2d".split(" ")) {
            for (int mode = 0; mode < 3; mode++) {
                for (int border = 0; border < 3; border++) {
                    o.of(name)
                            .tensor("input", 2, 2, 4, 5)
                            .tensor("grid", 2, 3, 2, 2)
                            .integer("interpolation_mode", mode)
                            .integer("padding_mode", border)
                            .flag("align_corners", border == 1)
                            .halfTolerance(20)
                            .label("mode " + mode + ", border " + border);
                }
            }
        }
        o.of("aten.grid_sampler_3d")
                .tensor("input", 1, 2, 3, 4, 3)
                .tensor("grid", 1, 2, 2, 1, 3)
                .integer("interpolation_mode", 0)
                .integer("padding_mode", 0)
                .halfTolerance(20)
                .flag("align_corners", true);
    }
}
