package dev.headroom.executor.op;

final class ConvolutionExamples {
    private static final int[] CHANNELS_LAST = {0, 2, 3, 1};

    private ConvolutionExamples() {}

    static void add(Examples o) {
        o.of("aten.conv1d")
                .tensor("input", 2, 2, 6)
                .tensor("weight", 3, 2, 3)
                .tensor("bias", 3)
                .integers("padding", 1);
        o.of("aten.conv2d")
                .tensor("input", 2, 2, 5, 4)
                .tensor("weight", 3, 2, 3, 3)
                .tensor("bias", 3);
        o.of("aten.conv2d")
                .tensor("input", 2, 2, 5, 5)
                .tensor("weight", 4, 1, 3, 3)
                .none("bias")
                .integers("stride", 2, 1)
                .integers("padding", 1, 2)
                .integers("dilation", 1, 2)
                .integer("groups", 2)
                .label("strided, dilated, grouped");
        o.of("aten.conv2d")
                .tensor("input", 1, 3, 4, 4)
                .tensor("weight", 3, 1, 3, 3)
                .tensor("bias", 3)
                .integers("padding", 1)
                .integer("groups", 3)
                .label("depthwise");
        o.of("aten.conv2d")
                .laidOut("input", CHANNELS_LAST, 2, 3, 4, 4)
                .laidOut("weight", CHANNELS_LAST, 2, 3, 2, 2)
                .tensor("bias", 2)
                .label("channels last");
        o.of("aten.conv2d")
                .tensor("input", 2, 5, 4)
                .tensor("weight", 3, 2, 3, 3)
                .label("one sample");
        o.of("aten.conv2d")
                .tensor("input", 1, 2, 4, 5)
                .tensor("weight", 2, 2, 2, 3)
                .none("bias")
                .integers("stride", 1)
                .text("padding", "same")
                .label("same");
        o.of("aten.conv3d")
                .tensor("input", 1, 2, 3, 3, 3)
                .tensor("weight", 2, 2, 2, 2, 2)
                .tensor("bias", 2);
        o.of("aten.conv_transpose1d")
                .tensor("input", 2, 2, 4)
                .tensor("weight", 2, 3, 3)
                .tensor("bias", 3);
        o.of("aten.conv_transpose2d")
                .tensor("input", 2, 2, 3, 3)
                .tensor("weight", 2, 3, 2, 2)
                .tensor("bias", 3)
                .integers("stride", 2);
        o.of("aten.conv_transpose2d")
                .tensor("input", 1, 4, 3, 3)
                .tensor("weight", 4, 2, 3, 3)
                .none("bias")
                .integers("stride", 2)
                .integers("padding", 1)
                .integers("output_padding", 1)
                .integer("groups", 2)
                .label("grouped, padded");
        o.of("aten.conv_transpose3d")
                .tensor("input", 1, 2, 2, 2, 2)
                .tensor("weight", 2, 2, 2, 2, 2)
                .tensor("bias", 2);
        o.of("aten.convolution")
                .tensor("input", 1, 2, 4, 4)
                .tensor("weight", 3, 2, 3, 3)
                .tensor("bias", 3)
                .integers("stride", 1, 1)
                .integers("padding", 1, 1)
                .integers("dilation", 1, 1)
                .flag("transposed", false)
                .integers("output_padding", 0, 0)
                .integer("groups", 1);
        pooling(o);
    }

    private static void pooling(Examples o) {
        o.of("aten.upsample_nearest2d").tensor("self", 1, 2, 2, 3).integers("output_size", 4, 5);
        o.of("aten.upsample_bilinear2d")
                .tensor("self", 1, 2, 2, 3)
                .integers("output_size", 4, 5)
                .flag("align_corners", false);
        o.of("aten.upsample_bilinear2d")
                .tensor("self", 1, 2, 2, 3)
                .integers("output_size", 4, 5)
                .flag("align_corners", true)
                .label("corners aligned");
        for (String name : new String[] {"aten.max_pool2d", "aten.max_pool2d_with_indices"}) {
            o.of(name).tensor("self", 2, 2, 4, 4).integers("kernel_size", 2);
            o.of(name)
                    .tensor("self", 1, 2, 5, 6)
                    .integers("kernel_size", 3, 2)
                    .integers("stride", 2, 1)
                    .integers("padding", 1, 1)
                    .integers("dilation", 1, 2)
                    .flag("ceil_mode", true)
                    .label("overlapping");
        }
        o.of("aten.max_pool2d")
                .laidOut("self", CHANNELS_LAST, 1, 3, 4, 4)
                .integers("kernel_size", 2)
                .label("channels last");
        o.of("aten.avg_pool2d").tensor("self", 2, 2, 4, 4).integers("kernel_size", 2);
        o.of("aten.avg_pool2d")
                .tensor("self", 1, 2, 5, 5)
                .integers("kernel_size", 3)
                .integers("stride", 2)
                .integers("padding", 1)
                .flag("ceil_mode", true)
                .flag("count_include_pad", false)
                .label("overlapping");
        o.of("aten.adaptive_avg_pool2d").tensor("self", 2, 3, 5, 4).integers("output_size", 2, 3);
        o.of("aten.adaptive_avg_pool2d")
                .tensor("self", 2, 3, 4, 4)
                .integers("output_size", 1, 1)
                .label("global");
    }
}
