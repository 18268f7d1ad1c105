package dev.headroom.executor.op;

/** Examples of other names, stacks, diagonals, truths, distances and margins. */
final class StackExamples {
    private StackExamples() {}

    static void add(Examples o) {
        for (String name : "concat concatenate hstack vstack row_stack dstack column_stack".split(" ")) {
            o.of("aten." + name).list("tensors", new long[] {2, 3}, new long[] {2, 3});
        }
        o.of("aten.hstack").list("tensors", new long[] {3}, new long[] {2}).label("lines");
        otherNames(o);
        for (String name : "true_divide divide subtract atan2 arctan2 logaddexp".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4).positive("other", 3, 4);
        }
        o.of("aten.clip").tensor("self", 3, 4).real("min", -0.5).real("max", 0.5);
        o.of("aten.clip_").tensor("self", 3, 4).real("min", -0.5).real("max", 0.5);
        for (String name : "fix fix_ mH adjoint fliplr flipud positive diagonal angle sinc nan_to_num nan_to_num_ zero_"
                .split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4);
        }
        for (String name : "logit logit_".split(" ")) {
            o.of("aten." + name).fraction("self", 3, 4);
            o.of("aten." + name)
                    .fraction("self", 3, 4)
                    .real("eps", 0.25)
                    .label("with a bound")
                    .doubleOnly();
        }
        o.of("aten.moveaxis").tensor("self", 2, 3, 4).integers("source", 0).integers("destination", 2);
        o.of("aten.atleast_1d").tensor("self");
        o.of("aten.atleast_2d").tensor("self", 3);
        o.of("aten.atleast_3d").tensor("self", 3);
        o.of("aten.hsplit").tensor("self", 2, 4).integer("sections", 2);
        o.of("aten.vsplit").tensor("self", 4, 2).integer("sections", 2);
        o.of("aten.dsplit").tensor("self", 1, 2, 4).integers("indices", 1, 2);
        o.of("aten.outer").tensor("self", 3).tensor("vec2", 4);
        o.of("aten.ger").tensor("self", 3).tensor("vec2", 4);
        o.of("aten.tensordot")
                .tensor("self", 2, 3, 4)
                .tensor("other", 4, 3, 2)
                .integers("dims_self", 1, 2)
                .integers("dims_other", 1, 0)
                .halfTolerance(4);
        o.of("aten.inner").tensor("self", 2, 4).tensor("other", 3, 4);
        o.of("aten.linalg_matmul").tensor("self", 2, 4).tensor("other", 4, 3);
        o.of("aten.linalg_vecdot").tensor("x", 2, 4).tensor("y", 2, 4).halfTolerance(4);
        o.of("aten.kron").tensor("self", 2, 2).tensor("other", 3, 2);
        o.of("aten.cartesian_prod").list("tensors", new long[] {2}, new long[] {3});
        o.of("aten.msort").tensor("self", 4, 2);
        o.of("aten.fft_fftshift").tensor("self", 3, 4);
        o.of("aten.fft_ifftshift").tensor("self", 3, 4);
        o.of("aten.take_along_dim")
                .tensor("self", 3, 4)
                .indices("indices", new long[] {3, 2}, 0, 3, 1, 1, -1, 0)
                .integer("dim", 1);
        diagonals(o);
        losses(o);
        for (String name : "uniform_ normal_ log_normal_ exponential_ cauchy_ geometric_ random_".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4).doubleOnly();
        }
    }

    private static void diagonals(Examples o) {
        o.of("aten.diag").tensor("self", 3);
        o.of("aten.diag").tensor("self", 3, 4).integer("diagonal", 1).label("of a matrix");
        o.of("aten.diagflat").tensor("self", 2, 2);
        o.of("aten.diag_embed").tensor("self", 2, 3).integer("offset", -1);
        o.of("aten.block_diag").list("tensors", new long[] {2, 3}, new long[] {1, 2});
        o.of("aten.as_strided").tensor("self", 3, 4).integers("size", 2, 2).integers("stride", 4, 2);
        o.of("aten.diagonal_scatter").tensor("self", 3, 4).tensor("src", 3);
        o.of("aten.select_scatter")
                .tensor("self", 3, 4)
                .tensor("src", 3)
                .integer("dim", 1)
                .integer("index", 2);
        o.of("aten.slice_scatter")
                .tensor("self", 4, 3)
                .tensor("src", 2, 3)
                .integer("dim", 0)
                .integer("start", 1)
                .integer("end", 3);
        o.of("aten.tril_").tensor("self", 3, 4);
        o.of("aten.triu_").tensor("self", 3, 4).integer("diagonal", 1);
    }

    private static void otherNames(Examples o) {
        for (String name : ("absolute absolute_ negative negative_ arcsinh arcsinh_ arctan arctan_ special_erf"
                        + " special_erfc special_exp2 special_expit special_expm1 special_round special_sinc")
                .split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4);
        }
        for (String name : "arccos arccos_ arcsin arcsin_ arctanh arctanh_ special_log1p special_logit".split(" ")) {
            o.of("aten." + name).fraction("self", 3, 4);
        }
        for (String name : "divide_ true_divide_ multiply_ subtract_ special_xlogy greater greater_equal less"
                .concat(" less_equal not_equal")
                .split(" ")) {
            o.of("aten." + name).positive("self", 3, 4).positive("other", 3, 4);
        }
        for (String name : "arccosh arccosh_".split(" ")) {
            o.of("aten." + name).fixed("self", null, new long[] {4}, 1.5, 2, 3, 5);
        }
        o.of("aten.special_logsumexp").tensor("self", 3, 4).integers("dim", 1);
        o.of("aten.unsafe_chunk").tensor("self", 4, 3).integer("chunks", 2);
        o.of("aten.unsafe_split").tensor("self", 4, 3).integer("split_size", 2);
        o.of("aten.unsafe_split_with_sizes").tensor("self", 4, 3).integers("split_sizes", 1, 3);
    }

    private static void losses(Examples o) {
        for (int reduction = 0; reduction < 3; reduction++) {
            String label = "reduction " + reduction;
            o.of("aten.cosine_embedding_loss")
                    .tensor("input1", 3, 4)
                    .tensor("input2", 3, 4)
                    .buffer("target", new long[] {3}, 1, -1, 1)
                    .integer("reduction", reduction)
                    .halfTolerance(8)
                    .label(label);
            o.of("aten.hinge_embedding_loss")
                    .tensor("self", 4)
                    .buffer("target", new long[] {4}, 1, -1, 1, -1)
                    .integer("reduction", reduction)
                    .halfTolerance(4)
                    .label(label);
            o.of("aten.margin_ranking_loss")
                    .tensor("input1", 4)
                    .tensor("input2", 4)
                    .buffer("target", new long[] {4}, 1, -1, 1, -1)
                    .real("margin", 0.5)
                    .integer("reduction", reduction)
                    .halfTolerance(4)
                    .label(label);
            o.of("aten.poisson_nll_loss")
                    .positive("input", 4)
                    .buffer("target", new long[] {4}, 0.5, 2, 3, 1)
                    .flag("log_input", reduction != 1)
                    .flag("full", reduction == 2)
                    .integer("reduction", reduction)
                    .halfTolerance(8)
                    .label(label);
        }
        for (double order : new double[] {0, 0.5, 1, 1.5, 3, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            o.of("aten.linalg_vector_norm")
                    .tensor("self", 3, 4)
                    .real("ord", order)
                    .integers("dim", 1)
                    .halfTolerance(8)
                    .label("order " + order);
        }
        for (int reduction = 0; reduction < 3; reduction++) {
            o.of("aten.cross_entropy_loss")
                    .tensor("self", 3, 5)
                    .indices("target", new long[] {3}, 4, -100, 1)
                    .integer("reduction", reduction)
                    .real("label_smoothing", 0.25)
                    .halfTolerance(8)
                    .label("smoothed, reduction " + reduction);
            o.of("aten.cross_entropy_loss")
                    .tensor("self", 3, 5)
                    .fraction("target", 3, 5)
                    .buffer("weight", new long[] {5}, 0.5, 1, 1.5, 1, 2)
                    .integer("reduction", reduction)
                    .real("label_smoothing", 0.25)
                    .halfTolerance(8)
                    .label("of probabilities, reduction " + reduction);
        }
        o.of("aten.triplet_margin_loss")
                .tensor("anchor", 3, 4)
                .tensor("positive", 3, 4)
                .tensor("negative", 3, 4)
                .flag("swap", true)
                .halfTolerance(8);
        o.of("aten.pairwise_distance").tensor("x1", 3, 4).tensor("x2", 3, 4).halfTolerance(4);
        o.of("aten.cosine_similarity")
                .tensor("x1", 3, 4)
                .tensor("x2", 3, 4)
                .integer("dim", 1)
                .halfTolerance(8);
    }
}
