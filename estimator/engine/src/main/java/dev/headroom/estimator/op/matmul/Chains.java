package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Products that other products are made of (ATen/native/LinearAlgebra.cpp). */
public final class Chains {
    private Chains() {}

    public static void register(Registry r) {
        r.single("aten.inner", c -> inner(new Body(c.runtime(), r), c.tensor("self"), c.tensor("other")));
        for (String name : new String[] {"linalg_multi_dot", "chain_matmul"}) {
            String argument = name.startsWith("chain") ? "matrices" : "tensors";
            r.single("aten." + name, c -> chain(new Body(c.runtime(), r), c.tensors(argument)));
        }
        r.single("aten.linalg_vecdot", c -> vecdot(new Body(c.runtime(), r), c));
        r.single("aten.linalg_matmul", c -> {
            Body b = new Body(c.runtime(), r);
            return b.give(b.call("matmul", c.tensor("self"), c.tensor("other")));
        });
        for (String name : new String[] {"linalg_matrix_power", "matrix_power"}) {
            r.single("aten." + name, c -> power(new Body(c.runtime(), r), c.tensor("self"), c.integer("n")));
        }
        r.single("aten.linalg_diagonal", c -> {
            Body b = new Body(c.runtime(), r);
            return b.give(b.call(
                    "diagonal", c.tensor("A"), c.integer("offset", 0), c.integer("dim1", -2), c.integer("dim2", -1)));
        });
        r.single("aten.float_power_", c -> floatPowerInPlace(new Body(c.runtime(), r), c));
        for (String name : new String[] {"Tensor_Tensor", "Scalar", "Tensor_Scalar"}) {
            r.single("aten.float_power." + name, c -> floatPower(new Body(c.runtime(), r), c));
        }
    }

    private static Tensor inner(Body b, Tensor x, Tensor y) {
        if (x.dim() == 0 || y.dim() == 0) {
            return b.give(b.call("mul.Tensor", x, y));
        }
        if (x.dim() == 1 && y.dim() == 1) {
            return b.give(b.call("dot", x, y));
        }
        return b.give(b.call("tensordot", x, y, new long[] {x.dim() - 1}, new long[] {y.dim() - 1}));
    }

    /** Two: a product; three: the cheaper order; more: the cheapest, as dynamic programming finds it. */
    private static Tensor chain(Body b, Tensor[] in) {
        int n = in.length;
        if (n == 1) {
            return in[0];
        }
        if (in[0].dim() == 1 || in[n - 1].dim() == 1) {
            throw new NoRule("a chain that begins or ends with a vector");
        }
        if (n == 2) {
            return b.give(b.call("mm", in[0], in[1]));
        }
        if (n == 3) {
            double left = (double) in[0].size(0) * in[1].size(1) * (in[0].size(1) + in[2].size(1));
            double right = (double) in[0].size(1) * in[2].size(1) * (in[0].size(0) + in[1].size(1));
            return b.give(
                    left > right
                            ? b.call("mm", in[0], b.call("mm", in[1], in[2]))
                            : b.call("mm", b.call("mm", in[0], in[1]), in[2]));
        }
        return b.give(product(b, in, cheapest(in), 0, n - 1));
    }

    private static int[][] cheapest(Tensor[] in) {
        int n = in.length;
        double[] size = new double[n + 1];
        size[0] = in[0].size(0);
        for (int i = 0; i < n; i++) {
            size[i + 1] = in[i].size(1);
        }
        double[][] cost = new double[n][n];
        int[][] cut = new int[n][n];
        for (int length = 1; length < n; length++) {
            for (int i = 0; i + length < n; i++) {
                int j = i + length;
                cost[i][j] = Double.MAX_VALUE;
                for (int k = i; k < j; k++) {
                    double q = cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
                    if (q < cost[i][j]) {
                        cost[i][j] = q;
                        cut[i][j] = k;
                    }
                }
            }
        }
        return cut;
    }

    private static Tensor product(Body b, Tensor[] in, int[][] cut, int i, int j) {
        if (i == j) {
            return in[i];
        }
        Tensor right = product(b, in, cut, cut[i][j] + 1, j);
        Tensor left = product(b, in, cut, i, cut[i][j]);
        return b.call("mm", left, right);
    }

    private static Tensor vecdot(Body b, Call c) {
        Tensor x = c.tensor("x");
        Tensor y = c.tensor("y");
        if (x.dim() == 1 && y.dim() == 1) {
            return b.give(b.call("vdot", x, y));
        }
        Tensor product = b.call("mul.Tensor", x, y);
        return b.give(b.call("sum.dim_IntList", product, new long[] {c.integer("dim", -1)}));
    }

    /** By squaring; negative powers go through an inverse. */
    private static Tensor power(Body b, Tensor x, long n) {
        if (n < 1) {
            throw new NoRule("a power below one");
        }
        if (n == 1) {
            return b.give(b.call("clone", x));
        }
        if (n == 2) {
            return b.give(b.call("matmul", x, x));
        }
        if (n == 3) {
            return b.give(b.call("matmul", b.call("matmul", x, x), x));
        }
        throw new NoRule("a power above three");
    }

    /** In place: an exponent that is a tensor is converted (ATen/native/Pow.cpp, float_power_). */
    private static Tensor floatPowerInPlace(Body b, Call c) {
        Tensor x = c.tensor("self");
        Tensor out = c.isTensor("exponent")
                ? b.call("pow_.Tensor", x, b.call("to.dtype", c.tensor("exponent"), x.dtype()))
                : b.call("pow_.Scalar", x, c.number("exponent", 1));
        return b.give(out);
    }

    private static Tensor floatPower(Body b, Call c) {
        Tensor x = c.tensor("self");
        Tensor e = c.tensor("exponent");
        Tensor exponent = e.isWrappedNumber() ? null : b.call("to.dtype", e, DType.FLOAT64);
        Tensor base = x.isWrappedNumber() ? null : b.call("to.dtype", x, DType.FLOAT64);
        Tensor out = exponent == null
                ? b.call("pow.Tensor_Scalar", base, c.number("exponent", 1))
                : base == null
                        ? b.call("pow.Scalar", c.number("self", 2), exponent)
                        : b.call("pow.Tensor_Tensor", base, exponent);
        return b.give(out);
    }
}
