package dev.headroom.executor.op;

import dev.headroom.model.graph.DType;

/** Examples of operators that models rarely have. */
final class RareExamples {
    private RareExamples() {}

    static void add(Examples o) {
        for (String suffix : new String[] {"", "_"}) {
            o.of("aten.digamma" + suffix).positive("self", 3, 4).halfTolerance(4);
            o.of("aten.lgamma" + suffix).positive("self", 3, 4).halfTolerance(4);
            o.of("aten.erfinv" + suffix).fraction("self", 3, 4).halfTolerance(4);
            o.of("aten.i0" + suffix).tensor("self", 3, 4);
            o.of("aten.sgn" + suffix).tensor("self", 3, 4);
            o.of("aten.index_copy" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 1)
                    .indices("index", new long[] {2}, 3, 1)
                    .tensor("source", 3, 2);
            o.of("aten.index_fill" + suffix)
                    .tensor("self", 3, 4)
                    .integer("dim", 0)
                    .indices("index", new long[] {2}, 2, 0)
                    .real("value", 0.5);
            for (boolean adds : new boolean[] {false, true}) {
                o.of("aten.put" + suffix)
                        .tensor("self", 3, 4)
                        .indices("index", new long[] {3}, 7, 0, 11)
                        .tensor("source", 3)
                        .flag("accumulate", adds)
                        .label(adds ? "added" : "");
            }
            o.of("aten.alpha_dropout" + suffix)
                    .tensor(suffix.isEmpty() ? "input" : "self", 3, 4)
                    .real("p", 0.3)
                    .flag("train", false)
                    .label("of evaluation");
            o.of("aten.feature_alpha_dropout" + suffix)
                    .tensor(suffix.isEmpty() ? "input" : "self", 2, 3, 4)
                    .real("p", 0.3)
                    .flag("train", false)
                    .label("of evaluation");
            o.of("aten.rrelu" + suffix).tensor("self", 3, 4);
        }
        o.of("aten.threshold_").tensor("self", 3, 4).real("threshold", 0.1).real("value", -2);
        special(o);
        operands(o);
        inPlace(o);
        reductions(o);
        algebra(o);
        shapes(o);
    }

    private static void special(Examples o) {
        for (String name : "special_i0e special_i1 special_i1e special_log_ndtr special_ndtr".split(" ")) {
            o.of("aten." + name).wide("self", 3, 4).halfTolerance(8);
        }
        o.of("aten.special_i1")
                .buffer("self", new long[] {3}, 0, 40, -35)
                .doubleOnly()
                .label("at the ends");
        o.of("aten.special_erfcx").tensor("self", 3, 4).halfTolerance(4);
        o.of("aten.special_entr").positive("self", 3, 4);
        o.of("aten.special_ndtri").fraction("self", 3, 4).halfTolerance(8);
        for (String name : "aten.polygamma aten.special_polygamma".split(" ")) {
            o.of(name).integer("n", 2).positive("self", 3, 4).halfTolerance(8);
        }
        for (String name : "digamma psi gammaln".split(" ")) {
            o.of("aten.special_" + name).positive("self", 3).halfTolerance(4);
        }
        o.of("aten.special_erfinv").fraction("self", 3).halfTolerance(4);
        o.of("aten.special_i0").tensor("self", 3);
        for (String name : "softmax log_softmax".split(" ")) {
            o.of("aten.special_" + name).tensor("self", 3, 4).integer("dim", 1);
        }
    }

    private static void operands(Examples o) {
        for (String name : "fmax fmin copysign logaddexp2".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 4).tensor("other", 4).halfTolerance(4);
        }
        o.of("aten.ldexp").tensor("self", 3, 4).tensor("other", 3, 4).halfTolerance(4);
        o.of("aten.ldexp_").tensor("self", 3, 4).tensor("other", 4).halfTolerance(4);
        o.of("aten.ldexp_")
                .tensor("self", 3, 4)
                .indices("other", new long[] {4}, 2, 0, 1, 3)
                .halfTolerance(4)
                .label("by whole numbers");
        o.of("aten.float_power").positive("self", 3, 4).real("exponent", 2.5).doubleOnly();
        o.of("aten.frexp").tensor("self", 3, 4).doubleOnly();
        o.of("aten.float_power_").positive("self", 3, 4).real("exponent", 2.5).doubleOnly();
        o.of("aten.float_power_")
                .positive("self", 3, 4)
                .tensor("exponent", 4)
                .doubleOnly()
                .label("of a tensor");
        o.of("aten.float_power")
                .positive("self", 3, 4)
                .tensor("exponent", 4)
                .doubleOnly()
                .label("of a tensor");
        o.of("aten.clamp").tensor("self", 3, 4).tensor("min", 4).label("above a tensor");
        o.of("aten.clamp_max").tensor("self", 3, 4).tensor("max", 3, 4).label("below a tensor");
        o.of("aten.clamp")
                .tensor("self", 2, 2)
                .buffer("min", new long[] {2}, -0.3, -0.2)
                .buffer("max", new long[] {2}, 0.2, 0.4)
                .label("between tensors");
        o.of("aten.soft_margin_loss")
                .tensor("self", 3, 4)
                .buffer("target", new long[] {4}, 1, -1, 1, 1)
                .integer("reduction", 1);
    }

    private static void inPlace(Examples o) {
        for (String name :
                "eq ne gt ge lt le greater greater_equal less less_equal not_equal floor_divide".split(" ")) {
            o.of("aten." + name + "_").tensor("self", 3, 4).tensor("other", 4);
        }
        for (String name : "logical_and logical_or logical_xor".split(" ")) {
            o.of("aten." + name + "_")
                    .mask("self", new long[] {4}, 1, 0, 1, 0)
                    .mask("other", new long[] {4}, 1, 1, 0, 0);
        }
        o.of("aten.logical_not_").mask("self", new long[] {2}, 1, 0);
        o.of("aten.heaviside_").tensor("self", 3, 4).buffer("values", new long[] {1}, 0.5);
        long[] four = {4};
        String bits = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm";
        for (String name : bits.split(" ")) {
            o.of("aten." + name + "_").indices("self", four, 12, 7, 1, 6).indices("other", four, 2, 3, 4, 0);
        }
        o.of("aten.bitwise_not_").indices("self", four, 12, 7, 1, 6);
        for (String name : "and or xor lshift rshift".split(" ")) {
            o.of("aten.__i" + name + "__").indices("self", four, 12, 7, 1, 6).indices("other", four, 2, 3, 4, 0);
            o.of("aten.__i" + name + "__")
                    .indices("self", four, 12, 7, 1, 6)
                    .integer("other", 2)
                    .label("with a number");
        }
        o.of("aten.__iand__")
                .mask("self", four, 1, 0, 1, 0)
                .mask("other", new long[] {1}, 1)
                .label("of truths");
        for (String name : "gcd lcm __lshift__ __rshift__".split(" ")) {
            o.of("aten." + name).indices("self", four, 12, 7, 1, 6).indices("other", four, 2, 3, 4, 0);
        }
        for (String name : "tril_indices triu_indices".split(" ")) {
            o.of("aten." + name).integer("row", 3).integer("col", 4).integer("offset", 1);
        }
    }

    private static void quantiles(Examples o) {
        for (String name : "quantile nanquantile".split(" ")) {
            o.of("aten." + name).tensor("self", 3, 5).real("q", 0.3);
            o.of("aten." + name)
                    .tensor("self", 3, 5)
                    .buffer("q", new long[] {3}, 0, 0.3, 0.9)
                    .integer("dim", 0)
                    .flag("keepdim", true)
                    .label("for several");
            o.of("aten." + name)
                    .tensor("self", 3, 5)
                    .fraction("q", 2)
                    .integer("dim", 1)
                    .label("learned");
            o.of("aten." + name)
                    .buffer("self", new long[] {5}, 1, Double.NaN, 2, Double.NaN, 4)
                    .buffer("q", new long[] {2}, 0.25, 0.75)
                    .doubleOnly()
                    .label("with what is no number");
            for (String way : "lower higher nearest midpoint".split(" ")) {
                o.of("aten." + name)
                        .tensor("self", 3, 5)
                        .real("q", 0.3)
                        .integer("dim", 1)
                        .text("interpolation", way)
                        .label(way);
            }
        }
    }

    private static void reductions(Examples o) {
        o.of("aten.kthvalue").tensor("self", 3, 5).integer("k", 2).integer("dim", 1);
        for (String name : "median nanmedian mode".split(" ")) {
            o.of("aten." + name)
                    .tensor("self", 3, 5)
                    .integer("dim", name.equals("mode") ? 0 : 1)
                    .flag("keepdim", true);
        }
        o.of("aten.median").tensor("self", 3, 5).label("of all");
        quantiles(o);
        o.of("aten.nansum").tensor("self", 3, 5).integers("dim", 1);
        o.of("aten.nanmean").tensor("self", 3, 5).integers("dim", 1).flag("keepdim", true);
        o.of("aten.nansum").buffer("self", new long[] {3}, 1, Double.NaN, 2).label("with what is no number");
        o.of("aten.aminmax").tensor("self", 3, 5).integer("dim", 1);
        o.of("aten.std_mean").tensor("self", 3, 5).integers("dim", 1).halfTolerance(4);
        o.of("aten.take").tensor("self", 3, 4).indices("index", new long[] {2, 2}, 7, 0, 11, 7);
        double[] lines = {-1, 0, 0, 2};
        o.of("aten.searchsorted")
                .fixed("sorted_sequence", DType.FLOAT32, new long[] {2, 4}, -1, 0, 0, 2, 1, 2, 3, 4)
                .fixed("self", DType.FLOAT32, new long[] {2, 3}, 0, 3, -2, 2, 5, 0);
        o.of("aten.bucketize")
                .fixed("self", DType.FLOAT32, new long[] {3}, 0, 3, -2)
                .fixed("boundaries", DType.FLOAT32, new long[] {4}, lines)
                .flag("out_int32", true)
                .flag("right", true);
    }

    private static void algebra(Examples o) {
        long[][] chain = {{3, 4}, {4, 2}, {2, 5}};
        o.of("aten.linalg_multi_dot").list("tensors", chain).halfTolerance(4);
        o.of("aten.chain_matmul").list("matrices", chain).halfTolerance(4);
        for (String name : "aten.linalg_matrix_power aten.matrix_power".split(" ")) {
            o.of(name).tensor("self", 3, 3).integer("n", 3).halfTolerance(8);
            o.of(name).tensor("self", 3, 3).integer("n", 5).halfTolerance(16).label("of five");
        }
        for (double order : new double[] {1, -1, Double.POSITIVE_INFINITY}) {
            o.of("aten.linalg_matrix_norm")
                    .tensor("self", 2, 3, 4)
                    .real("ord", order)
                    .label("order " + order);
        }
        o.of("aten.linalg_matrix_norm").tensor("self", 2, 3, 4).text("ord", "fro");
        o.of("aten.linalg_norm").tensor("self", 3, 4);
        o.of("aten.trapezoid").tensor("y", 3, 5);
        o.of("aten.trapz").tensor("y", 3, 5).tensor("x", 5).halfTolerance(4);
        o.of("aten.cumulative_trapezoid").tensor("y", 3, 5).real("dx", 0.5);
        for (boolean scaled : new boolean[] {false, true}) {
            double beta = scaled ? 0.5 : 1;
            double alpha = scaled ? 2 : 1;
            o.of("aten.addbmm")
                    .tensor("self", 3, 2)
                    .tensor("batch1", 2, 3, 4)
                    .tensor("batch2", 2, 4, 2)
                    .real("beta", beta)
                    .real("alpha", alpha)
                    .halfTolerance(4)
                    .label(scaled ? "scaled" : "");
            o.of("aten.addmv")
                    .tensor("self", 3)
                    .tensor("mat", 3, 4)
                    .tensor("vec", 4)
                    .real("beta", beta)
                    .real("alpha", alpha)
                    .halfTolerance(4)
                    .label(scaled ? "scaled" : "");
            o.of("aten.addr")
                    .tensor("self", 3, 4)
                    .tensor("vec1", 3)
                    .tensor("vec2", 4)
                    .real("beta", beta)
                    .real("alpha", alpha)
                    .halfTolerance(4)
                    .label(scaled ? "scaled" : "");
        }
        for (String name : "aten.linalg_cross aten.cross".split(" ")) {
            o.of(name)
                    .tensor("self", 2, 3)
                    .tensor("other", 1, 3)
                    .integer("dim", 1)
                    .halfTolerance(4);
        }
        o.of("aten.trace").tensor("self", 3, 4);
        o.of("aten.linalg_diagonal").tensor("self", 2, 3, 4);
    }

    private static void shapes(Examples o) {
        for (int k = 0; k < 4; k++) {
            o.of("aten.rot90")
                    .tensor("self", 3, 4)
                    .integer("k", k)
                    .integers("dims", 0, 1)
                    .label(k + " times");
        }
        for (String name : "channel_shuffle native_channel_shuffle".split(" ")) {
            o.of("aten." + name).tensor("self", 2, 6, 2, 2).integer("groups", 3);
        }
        for (boolean corners : new boolean[] {false, true}) {
            o.of("aten.affine_grid_generator")
                    .tensor("theta", 2, 2, 3)
                    .integers("size", 2, 1, 3, 4)
                    .flag("align_corners", corners)
                    .halfTolerance(4)
                    .label(corners ? "corners" : "");
        }
        o.of("aten.affine_grid_generator")
                .tensor("theta", 1, 3, 4)
                .integers("size", 1, 1, 2, 3, 2)
                .flag("align_corners", true)
                .halfTolerance(4)
                .label("volumes");
        for (String name :
                "conj _conj conj_physical conj_physical_ resolve_conj resolve_neg lift lift_fresh".split(" ")) {
            o.of("aten." + name).tensor("self", 3);
        }
        o.of("aten.alias_copy").tensor("self", 3, 4);
        for (String name : "_upsample_bilinear2d_aa _upsample_bicubic2d_aa".split(" ")) {
            o.of("aten." + name).tensor("input", 1, 2, 6, 7).integers("output_size", 4, 3);
            o.of("aten." + name)
                    .tensor("input", 1, 2, 3, 4)
                    .integers("output_size", 5, 6)
                    .label("larger");
            o.of("aten." + name)
                    .tensor("input", 1, 2, 6, 7)
                    .integers("output_size", 4, 3)
                    .flag("align_corners", true)
                    .label("corners");
        }
    }
}
