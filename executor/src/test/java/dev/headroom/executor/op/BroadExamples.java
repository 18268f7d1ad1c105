package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;

/** Examples of operators that are rows of tables, or made of others' calls. */
final class BroadExamples {
    private BroadExamples() {}

    static void add(Examples o) {
        for (String suffix : new String[] {"", "_"}) {
            String smooth = "asinh sinh cosh expm1 erf erfc exp2 deg2rad rad2deg atan frac ";
            for (String name : (smooth + "ceil floor round trunc sign").split(" ")) {
                o.of("aten." + name + suffix).tensor("self", 3, 4);
            }
            for (String name : "acos asin atanh tan log1p log2 log10".split(" ")) {
                o.of("aten." + name + suffix).fraction("self", 3, 4);
            }
            o.of("aten.acosh" + suffix)
                    .buffer("self", new long[] {3}, 1.5, 2, 3)
                    .label("beyond one");
        }
        for (String name : "sin_ cos_ abs_ neg_".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4);
        }
        o.of("aten.rsqrt_").positive("self", 3, 4);
        o.of("aten.reciprocal_").positive("self", 3, 4);
        o.of("aten.square").tensor("self", 3, 4);
        o.of("aten.multiply").tensor("self", 3, 4).tensor("other", 4);
        shapes(o);
        places(o);
        o.of("aten.einsum").text("equation", "bij,bjk->bik").list("tensors", new long[] {2, 3, 4}, new long[] {2, 4, 2
        });
        o.of("aten.einsum")
                .text("equation", "nhd,nhe->hde")
                .list("tensors", new long[] {3, 2, 2}, new long[] {3, 2, 4})
                .label("summed over the first");
        o.of("aten.einsum").text("equation", "i,j->ij").list("tensors", new long[] {3}, new long[] {4});
        o.of("aten.adaptive_avg_pool1d").tensor("self", 2, 3, 6).integers("output_size", 3);
        o.of("aten.adaptive_avg_pool3d").tensor("self", 2, 3, 2, 2, 2).integers("output_size", 1, 1, 1);
        o.of("aten.avg_pool1d").tensor("self", 2, 3, 6).integers("kernel_size", 2);
        o.of("aten.instance_norm")
                .wide("input", 2, 3, 4, 4)
                .tensor("weight", 3)
                .tensor("bias", 3)
                .none("running_mean")
                .none("running_var")
                .flag("use_input_stats", true)
                .real("momentum", 0.1)
                .real("eps", 1e-5)
                .flag("cudnn_enabled", true)
                .halfTolerance(4);
        o.of("aten.instance_norm")
                .wide("input", 2, 3, 4, 4)
                .tensor("weight", 3)
                .tensor("bias", 3)
                .buffer("running_mean", new long[] {3}, 0.1, 0.2, 0.3)
                .buffer("running_var", new long[] {3}, 1, 2, 3)
                .flag("use_input_stats", false)
                .real("momentum", 0.1)
                .real("eps", 1e-5)
                .flag("cudnn_enabled", true)
                .label("by running statistics")
                .halfTolerance(4);
        o.of("aten.glu").tensor("self", 3, 4).integer("dim", 1);
    }

    private static void shapes(Examples o) {
        o.of("aten.swapaxes").tensor("self", 3, 4).integer("axis0", 0).integer("axis1", 1);
        o.of("aten.swapdims").tensor("self", 3, 4).integer("dim0", 0).integer("dim1", 1);
        o.of("aten.mT").tensor("self", 2, 3, 4);
        o.of("aten.matrix_H").tensor("self", 3, 4);
        o.of("aten.numpy_T").tensor("self", 3, 4);
        o.of("aten.ravel").tensor("self", 3, 4);
        o.of("aten.reshape_as").tensor("self", 3, 4).fixed("other", DType.INT64, new long[] {2, 6}, new double[12]);
        o.of("aten.broadcast_to").tensor("self", 3, 1).integers("size", 2, 3, 4);
        o.of("aten.broadcast_tensors").list("tensors", new long[] {3, 1}, new long[] {4});
        o.of("aten.meshgrid").list("tensors", new long[] {3}, new long[] {4}).text("indexing", "xy");
        o.of("aten.tensor_split").tensor("self", 5, 2).integer("sections", 3).integer("dim", 0);
        o.of("aten.tile").tensor("self", 3, 2).integers("dims", 2);
        o.of("aten.pixel_shuffle").tensor("self", 2, 4, 2, 3).integer("upscale_factor", 2);
        o.of("aten.pixel_unshuffle").tensor("self", 2, 2, 4, 2).integer("downscale_factor", 2);
        o.of("aten.repeat_interleave")
                .tensor("self", 3, 2)
                .integer("repeats", 2)
                .integer("dim", 1);
        o.of("aten.unfold")
                .tensor("self", 2, 7)
                .integer("dimension", 1)
                .integer("size", 3)
                .integer("step", 2);
    }

    private static void places(Examples o) {
        long[] four = {2, 2};
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.scatter" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 0)
                    .indices("index", four, 2, 0, 1, 2)
                    .tensor("src", 2, 2);
            o.of("aten.scatter" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 1)
                    .indices("index", four, 2, 0, 1, 3)
                    .real("value", 0.5)
                    .label("of a number");
            o.of("aten.scatter_add" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 0)
                    .indices("index", four, 2, 0, 2, 2)
                    .tensor("src", 2, 2);
            o.of("aten.index_add" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 0)
                    .indices("index", new long[] {2}, 2, 2)
                    .tensor("source", 2, 4)
                    .real("alpha", 2);
        }
        o.of("aten.sort").tensor("self", 3, 5).integer("dim", 1).flag("descending", true);
        o.of("aten.sort")
                .laidOut("self", new int[] {1, 0}, 3, 5)
                .integer("dim", 0)
                .label("transposed");
        o.of("aten.topk").tensor("self", 3, 5).integer("k", 2).integer("dim", 1);
        o.of("aten.argsort").tensor("self", 3, 5).integer("dim", 1);
        o.of("aten.one_hot").indices("self", new long[] {3}, 2, 0, 1).integer("num_classes", 4);
        o.of("aten.linspace").real("start", 0).real("end", 1).integer("steps", 5);
        o.of("aten.eye").integer("n", 3);
        for (String window : new String[] {"hann", "hamming", "bartlett", "blackman", "kaiser"}) {
            o.of("aten." + window + "_window").integer("window_length", 7);
            o.of("aten." + window + "_window")
                    .integer("window_length", 8)
                    .flag("periodic", false)
                    .label("symmetric");
        }
        o.of("aten.logspace").real("start", 0).real("end", 1).integer("steps", 5);
        o.of("aten.fft_fftfreq").integer("n", 7).real("d", 0.5);
        o.of("aten.fft_rfftfreq").integer("n", 8);
        o.of("aten.rand").integers("size", 3, 4);
        o.of("aten.randn").integers("size", 3, 4);
        o.of("aten.rand_like").tensor("self", 3, 4);
        o.of("aten.randn_like").tensor("self", 3, 4);
    }
}
