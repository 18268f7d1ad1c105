package dev.headroom.executor.op;

/** Other forms of operators, and functions of libraries. */
final class FormExamples {
    private FormExamples() {}

    static void add(Examples o) {
        o.of("aten._softmax").tensor("self", 2, 5).integer("dim", 1).flag("half_to_float", false);
        o.of("aten._log_softmax").tensor("self", 2, 5).integer("dim", 1).flag("half_to_float", false);
        o.of("aten.native_layer_norm")
                .tensor("input", 3, 5)
                .integers("normalized_shape", 5)
                .tensor("weight", 5)
                .tensor("bias", 5)
                .real("eps", 1e-5);
        o.of("aten.native_batch_norm")
                .tensor("input", 4, 3)
                .tensor("weight", 3)
                .tensor("bias", 3)
                .none("running_mean")
                .none("running_var")
                .flag("training", true)
                .real("momentum", 0.1)
                .real("eps", 1e-5);
        o.of("aten.cudnn_batch_norm")
                .tensor("input", 4, 3, 2, 2)
                .tensor("weight", 3)
                .tensor("bias", 3)
                .none("running_mean")
                .none("running_var")
                .flag("training", true)
                .real("exponential_average_factor", 0.1)
                .real("epsilon", 1e-5);
        o.of("aten.native_group_norm")
                .tensor("input", 2, 4, 3)
                .tensor("weight", 4)
                .tensor("bias", 4)
                .integer("N", 2)
                .integer("C", 4)
                .integer("HxW", 3)
                .integer("group", 2)
                .real("eps", 1e-5);
        o.of("aten.native_dropout").tensor("input", 3, 5).real("p", 0.25).flag("train", true);
        o.of("aten.nll_loss_forward")
                .tensor("self", 3, 5)
                .indices("target", new long[] {3}, 1, 0, 4)
                .none("weight")
                .integer("reduction", 1)
                .integer("ignore_index", -100);
        o.of("aten.nll_loss2d_forward")
                .tensor("self", 2, 3, 2, 2)
                .indices("target", new long[] {2, 2, 2}, 1, 0, 2, 2, 1, 1, 0, 2)
                .none("weight")
                .integer("reduction", 1)
                .integer("ignore_index", -100);
        for (String kernel : new String[] {"cudnn", "efficient", "flash"}) {
            o.of("aten._scaled_dot_product_" + kernel + "_attention")
                    .tensor("query", 1, 2, 3, 8)
                    .tensor("key", 1, 2, 3, 8)
                    .tensor("value", 1, 2, 3, 8);
        }
        algebra(o);
        views(o);
        elementwise(o);
        functions(o);
    }

    private static void algebra(Examples o) {
        for (String name : new String[] {"linalg_inv", "linalg_inv_ex", "linalg_det", "linalg_slogdet"}) {
            o.of("aten." + name).tensor("A", 2, 3, 3).hostOnly().doubleOnly();
        }
        for (String name : new String[] {"inverse", "det", "slogdet"}) {
            o.of("aten." + name).tensor("self", 3, 3).hostOnly().doubleOnly();
        }
        o.of("aten.logdet").positive("self", 3, 1, 1).hostOnly().doubleOnly();
        o.of("aten.linalg_vander").tensor("x", 2, 3).integer("N", 4);
        o.of("aten.linalg_solve")
                .tensor("A", 2, 3, 3)
                .tensor("B", 2, 3, 2)
                .hostOnly()
                .doubleOnly();
    }

    private static void views(Examples o) {
        o.of("aten.t_").tensor("self", 2, 3);
        o.of("aten.squeeze_").tensor("self", 2, 1, 3).integer("dim", 1);
        o.of("aten.unsqueeze_").tensor("self", 2, 3).integer("dim", 1);
        o.of("aten.transpose_").tensor("self", 2, 3).integer("dim0", 0).integer("dim1", 1);
        o.of("aten.swapaxes_").tensor("self", 2, 3).integer("axis0", 0).integer("axis1", 1);
        o.of("aten.swapdims_").tensor("self", 2, 3).integer("dim0", 0).integer("dim1", 1);
        o.of("aten.as_strided_").tensor("self", 6).integers("size", 3).integers("stride", 2);
    }

    private static void elementwise(Examples o) {
        o.of("aten.gelu_").tensor("self", 2, 3);
        o.of("aten.square_").tensor("self", 2, 3);
        o.of("aten.fill").tensor("self", 2, 3).real("value", 2);
        o.of("aten.zero").tensor("self", 2, 3);
        o.of("aten.lerp_").tensor("self", 2, 3).tensor("end", 2, 3).real("weight", 0.25);
        o.of("aten.lerp_")
                .tensor("self", 2, 3)
                .tensor("end", 2, 3)
                .fraction("weight", 2, 3)
                .label("by a tensor");
        o.of("aten.special_xlog1py").positive("self", 2, 3).positive("other", 2, 3);
        o.of("aten.norm").tensor("self", 2, 3).real("p", 2);
        o.of("aten.norm").tensor("self", 2, 3).real("p", 3).integers("dim", 1).label("cubic");
        o.of("aten.frobenius_norm").tensor("self", 2, 3).integers("dim", 0, 1).flag("keepdim", false);
        o.of("aten.dist").tensor("self", 2, 3).tensor("other", 2, 3).real("p", 2);
        o.of("aten.dist").tensor("self", 2, 3).tensor("other", 3).real("p", 3).label("cubic");
    }

    private static void functions(Examples o) {
        o.of("aten.bilinear")
                .tensor("input1", 3, 4)
                .tensor("input2", 3, 2)
                .tensor("weight", 5, 4, 2)
                .tensor("bias", 5);
        o.of("aten.bilinear")
                .tensor("input1", 2, 3, 4)
                .tensor("input2", 2, 3, 2)
                .tensor("weight", 1, 4, 2)
                .label("without bias");
        o.of("aten.masked_scatter")
                .tensor("self", 2, 3)
                .mask("mask", new long[] {2, 3}, 1, 0, 0, 1, 1, 0)
                .tensor("source", 4);
        o.of("aten.masked_scatter")
                .tensor("self", 2, 3)
                .mask("mask", new long[] {2, 1}, 0, 1)
                .tensor("source", 2, 2)
                .label("mask that broadcasts");
        o.of("aten.masked_scatter_")
                .tensor("self", 2, 3)
                .mask("mask", new long[] {2, 3}, 1, 0, 0, 1, 1, 0)
                .tensor("source", 3);
        o.of("transformers.bloom_gelu").tensor("self", 3, 4).halfTolerance(2);
        o.of("transformers.joined_rows").tensor("self", 2, 3, 4);
        o.of("transformers.mamba_selective_scan")
                .tensor("hidden_states", 2, 3, 4)
                .tensor("dt", 2, 3, 4)
                .tensor("A", 3, 2)
                .tensor("B", 2, 2, 4)
                .tensor("C", 2, 2, 4)
                .tensor("D", 3)
                .tensor("z", 2, 3, 4)
                .tensor("delta_bias", 3)
                .narrows()
                .halfTolerance(4);
    }
}
