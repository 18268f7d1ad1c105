package dev.headroom.executor.op;

final class NormalizationExamples {
    private NormalizationExamples() {}

    static void add(Examples o) {
        batchNorm(o, true, 3, 2, 2, 3).halfTolerance(4);
        batchNorm(o, false, 3, 2, 2, 3).label("evaluation");
        batchNorm(o, true, 6, 2).label("of a matrix").halfTolerance(4);
        o.of("aten.batch_norm")
                .tensor("input", 3, 2, 2, 3)
                .none("weight")
                .none("bias")
                .none("running_mean")
                .none("running_var")
                .flag("training", true)
                .label("without affine map")
                .halfTolerance(4);
        o.of("aten.layer_norm")
                .tensor("input", 2, 3, 4)
                .integers("normalized_shape", 4)
                .positive("weight", 4)
                .tensor("bias", 4)
                .halfTolerance(4);
        o.of("aten.layer_norm")
                .tensor("input", 2, 3, 4)
                .integers("normalized_shape", 3, 4)
                .label("without affine map")
                .halfTolerance(4);
        o.of("aten.group_norm")
                .tensor("input", 2, 4, 3)
                .integer("num_groups", 2)
                .positive("weight", 4)
                .tensor("bias", 4)
                .halfTolerance(4);
        o.of("aten.group_norm")
                .tensor("input", 2, 4, 2, 2)
                .integer("num_groups", 4)
                .label("without affine map")
                .halfTolerance(4);
        weightNorms(o);
    }

    private static void weightNorms(Examples o) {
        o.of("aten._weight_norm")
                .tensor("v", 3, 2, 4)
                .positive("g", 3, 1, 1)
                .integer("dim", 0)
                .halfTolerance(4);
        o.of("aten._weight_norm")
                .tensor("v", 4, 3)
                .positive("g", 1, 3)
                .integer("dim", 1)
                .label("along the last")
                .halfTolerance(4);
        o.of("aten._weight_norm")
                .tensor("v", 3, 2, 4)
                .positive("g", 1, 2, 1)
                .integer("dim", 1)
                .label("along an inner one")
                .halfTolerance(4);
        for (int dim = -1; dim < 3; dim++) {
            o.of("aten.norm_except_dim")
                    .tensor("v", 3, 2, 4)
                    .integer("pow", 2)
                    .integer("dim", dim)
                    .label("along " + dim)
                    .halfTolerance(4);
        }
    }

    private static Example batchNorm(Examples o, boolean training, long... sizes) {
        return o.of("aten.batch_norm")
                .tensor("input", sizes)
                .positive("weight", sizes[1])
                .tensor("bias", sizes[1])
                .buffer("running_mean", new long[] {2}, 0.25, -0.5)
                .buffer("running_var", new long[] {2}, 1.5, 0.75)
                .flag("training", training)
                .real("momentum", 0.1)
                .real("eps", 1e-3)
                .flag("cudnn_enabled", true);
    }
}
