package dev.headroom.executor.op;

/** Examples of windows as columns, values combined by places, bags of rows, distances and regions of images. */
final class PlaceExamples {
    private PlaceExamples() {}

    static void add(Examples o) {
        patches(o);
        combined(o);
        bags(o);
        for (double p : new double[] {1, 2, 3, Double.POSITIVE_INFINITY, 0, 0.5}) {
            o.of("aten.cdist")
                    .tensor("x1", 2, 3, 2)
                    .tensor("x2", 2, 4, 2)
                    .real("p", p)
                    .halfTolerance(p == 0 ? 20 : 4)
                    .label("order " + p);
        }
        o.of("aten.cdist")
                .tensor("x1", 3, 4)
                .tensor("x2", 2, 4)
                .real("p", 2)
                .integer("compute_mode", 1)
                .halfTolerance(6)
                .label("by a product");
        o.of("aten.pow_").positive("self", 3, 4).integer("exponent", 3);
        o.of("aten.pow_").positive("self", 3, 4).tensor("exponent", 4).label("of a tensor");
        regions(o);
    }

    private static void patches(Examples o) {
        o.of("aten.im2col")
                .tensor("self", 2, 3, 4, 5)
                .integers("kernel_size", 2, 3)
                .integers("dilation", 1, 1)
                .integers("padding", 1, 0)
                .integers("stride", 2, 1);
        o.of("aten.im2col")
                .laidOut("self", new int[] {1, 2, 0}, 3, 4, 5)
                .integers("kernel_size", 2, 2)
                .integers("dilation", 2, 1)
                .integers("padding", 0, 1)
                .integers("stride", 1, 2)
                .label("of one image");
        o.of("aten.col2im")
                .tensor("self", 2, 12, 6)
                .integers("output_size", 4, 4)
                .integers("kernel_size", 2, 3)
                .integers("dilation", 1, 1)
                .integers("padding", 0, 0)
                .integers("stride", 1, 1);
    }

    private static void combined(Examples o) {
        for (String suffix : new String[] {"", "_"}) {
            for (String how : "sum mean prod amax amin".split(" ")) {
                for (boolean withSelf : new boolean[] {true, false}) {
                    o.of("aten.scatter_reduce" + suffix)
                            .tensor("self", 3, 4)
                            .integer("dim", 0)
                            .indices("index", new long[] {3, 2}, 2, 0, 2, 2, 0, 2)
                            .tensor("src", 3, 2)
                            .text("reduce", how)
                            .flag("include_self", withSelf)
                            .halfTolerance(4)
                            .label(how + (withSelf ? "" : " without self"));
                }
            }
            for (String how : "mean prod amax amin".split(" ")) {
                for (boolean withSelf : new boolean[] {true, false}) {
                    o.of("aten.index_reduce" + suffix)
                            .tensor("self", 3, 4)
                            .integer("dim", 1)
                            .indices("index", new long[] {3}, 2, 0, 2)
                            .tensor("source", 3, 3)
                            .text("reduce", how)
                            .flag("include_self", withSelf)
                            .halfTolerance(4)
                            .label(how + (withSelf ? "" : " without self"));
                }
            }
        }
        // PyTorch's gradient of what is written over is that of the view, and zero elsewhere.
        o.of("aten.as_strided_scatter")
                .buffer("self", new long[] {2, 6}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
                .tensor("src", 2, 3)
                .integers("size", 2, 3)
                .integers("stride", 6, 2)
                .integer("storage_offset", 1);
    }

    private static void bags(Examples o) {
        for (int mode = 0; mode < 3; mode++) {
            o.of("aten.embedding_bag")
                    .tensor("weight", 5, 3)
                    .indices("indices", new long[] {6}, 1, 4, 1, 0, 3, 4)
                    .indices("offsets", new long[] {3}, 0, 2, 2)
                    .flag("scale_grad_by_freq", false)
                    .integer("mode", mode)
                    .flag("sparse", false)
                    .none("per_sample_weights")
                    .flag("include_last_offset", false)
                    .label("mode " + mode);
        }
        o.of("aten._embedding_bag")
                .tensor("weight", 5, 3)
                .indices("indices", new long[] {6}, 1, 4, 1, 0, 3, 4)
                .indices("offsets", new long[] {4}, 0, 2, 3, 6)
                .flag("scale_grad_by_freq", false)
                .integer("mode", 0)
                .flag("sparse", false)
                .tensor("per_sample_weights", 6)
                .flag("include_last_offset", true)
                .integer("padding_idx", 4);
    }

    private static void regions(Examples o) {
        double[] boxes = {0, 0.6, 1.2, 5.1, 4.4, 1, 2.3, 0.4, 6.8, 6.1};
        for (boolean aligned : new boolean[] {true, false}) {
            o.of("torchvision.roi_align")
                    .tensor("input", 2, 3, 6, 7)
                    .buffer("rois", new long[] {2, 5}, boxes)
                    .real("spatial_scale", 0.75)
                    .integer("pooled_height", 2)
                    .integer("pooled_width", 3)
                    .integer("sampling_ratio", aligned ? 2 : 0)
                    .flag("aligned", aligned)
                    .halfTolerance(4)
                    .label(aligned ? "aligned" : "");
        }
        o.of("torchvision.ps_roi_align")
                .tensor("input", 2, 8, 6, 7)
                .buffer("rois", new long[] {2, 5}, boxes)
                .real("spatial_scale", 1)
                .integer("pooled_height", 2)
                .integer("pooled_width", 2)
                .integer("sampling_ratio", 2)
                .halfTolerance(4);
        for (String name : "roi_pool ps_roi_pool".split(" ")) {
            o.of("torchvision." + name)
                    .tensor("input", 2, 8, 6, 7)
                    .buffer("rois", new long[] {2, 5}, boxes)
                    .real("spatial_scale", 0.8)
                    .integer("pooled_height", 2)
                    .integer("pooled_width", 2);
        }
    }
}
