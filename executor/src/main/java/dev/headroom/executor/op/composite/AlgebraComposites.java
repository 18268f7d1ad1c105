package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import java.util.Objects;

/** Chains of products, norms of matrices and areas (aten/src/ATen/native/LinearAlgebra.cpp, Integration.cpp). */
public final class AlgebraComposites {
    private AlgebraComposites() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.linalg_multi_dot", (c, a) -> chain(c, a.tensors("tensors")));
        Calls.add(o, "aten.chain_matmul", (c, a) -> chain(c, a.tensors("matrices")));
        Calls.add(o, "aten.linalg_matrix_power", (c, a) -> power(c, a.tensor("self"), a.integer("n", 1)));
        Calls.add(o, "aten.linalg_matrix_norm", AlgebraComposites::matrixNorm);
        Calls.add(o, "aten.linalg_norm", AlgebraComposites::norm);
        Calls.add(o, "aten.linalg_vander", AlgebraComposites::powers);
        Calls.add(o, "aten.trapezoid", AlgebraComposites::area);
        Calls.add(o, "aten.cumulative_trapezoid", AlgebraComposites::areas);
    }

    /** {@code linalg_vander}: running products of a number seen again and again, behind a one. */
    private static Tensor powers(Calls c, Arguments a) {
        Tensor x = a.tensor("x");
        if (x.dims() == 0) {
            throw new UserInputException("linalg_vander of a number is not supported by the executor");
        }
        long[] sizes = Arrays.copyOf(x.sizes(), x.dims() + 1);
        sizes[x.dims()] = a.integer("N", x.size(-1)) - 1;
        Tensor columns = Views.expand(c.e(), Views.unsqueeze(c.e(), x, -1), sizes);
        Tensor products = c.call("cumprod", "self", columns, "dim", -1);
        sizes[x.dims()] = 1;
        Tensor ones = c.e().empty(x.dtype(), sizes);
        Elementwise.fill(c.e(), ones, 1);
        return c.call("cat", "tensors", new Tensor[] {ones, products}, "dim", -1);
    }

    /** Of several products the cheapest order; a vector at an end is a matrix of one row or column. */
    private static Tensor chain(Calls c, Tensor[] given) {
        Tensor[] all = given.clone();
        int n = all.length;
        boolean row = all[0].dims() == 1;
        boolean column = all[n - 1].dims() == 1;
        all[0] = row ? Views.unsqueeze(c.e(), all[0], 0) : all[0];
        all[n - 1] = column ? Views.unsqueeze(c.e(), all[n - 1], -1) : all[n - 1];
        Tensor out = n == 1 ? all[0] : product(c, all, 0, n - 1, splits(all));
        out = row ? Views.squeeze(c.e(), out, 0) : out;
        return column ? Views.squeeze(c.e(), out, -1) : out;
    }

    /** Behind which matrix the last product of a part of the chain splits it. */
    private static int[][] splits(Tensor... all) {
        int n = all.length;
        long[][] cost = new long[n][n];
        int[][] split = new int[n][n];
        for (int length = 1; length < n; length++) {
            for (int i = 0; i + length < n; i++) {
                int j = i + length;
                cost[i][j] = Long.MAX_VALUE;
                for (int k = i; k < j; k++) {
                    long more = all[i].size(0) * all[k].size(1) * all[j].size(1);
                    long total = cost[i][k] + cost[k + 1][j] + more;
                    if (total < cost[i][j]) {
                        cost[i][j] = total;
                        split[i][j] = k;
                    }
                }
            }
        }
        return split;
    }

    private static Tensor product(Calls c, Tensor[] all, int from, int to, int[][] splits) {
        if (from == to) {
            return all[from];
        }
        Tensor left = product(c, all, from, splits[from][to], splits);
        Tensor right = product(c, all, splits[from][to] + 1, to, splits);
        return c.call("mm", "self", left, "mat2", right);
    }

    /** By repeated squares from the lowest binary digit on; the cube as a product of the square. */
    private static Tensor power(Calls c, Tensor x, long n) {
        if (n < 1) {
            throw new UserInputException("matrix_power is supported by the executor for exponents from 1 on, not " + n);
        }
        if (n == 1) {
            return c.call("clone", "self", x);
        }
        if (n == 3) {
            return c.call("matmul", "self", c.call("matmul", "self", x, "other", x), "other", x);
        }
        Tensor square = null;
        Tensor out = null;
        for (long rest = n; rest > 0; rest /= 2) {
            square = square == null ? x : c.call("matmul", "self", square, "other", square);
            if (rest % 2 == 1) {
                out = out == null ? square : c.call("matmul", "self", out, "other", square);
            }
        }
        return Objects.requireNonNull(out, "a power");
    }

    private static Tensor matrixNorm(Calls c, Arguments a) {
        return matrixNorm(
                c,
                a.tensor("self"),
                a.text("ord", a.has("ord") ? "" : "fro"),
                a.text("ord", "").isEmpty() ? a.real("ord", 2) : 2,
                a.integers("dim", -2, -1),
                a.flag("keepdim", false));
    }

    /** @param name of the order, or "" for one that is a number */
    private static Tensor matrixNorm(Calls c, Tensor x, String name, double order, long[] dims, boolean keep) {
        if (name.equals("fro")) {
            return c.call("linalg_vector_norm", "self", x, "ord", 2, "dim", dims, "keepdim", keep);
        }
        if (!name.isEmpty() || order != 1 && order != -1 && !Double.isInfinite(order)) {
            throw new UserInputException("matrix_norm by singular values is not supported by the executor");
        }
        int rows = Layout.dimension(dims[0], x.dims());
        int columns = Layout.dimension(dims[1], x.dims());
        int summed = Double.isInfinite(order) ? columns : rows;
        int left = summed == rows ? columns : rows;
        left -= !keep && left > summed ? 1 : 0;
        Tensor sums = c.call("linalg_vector_norm", "self", x, "ord", 1, "dim", new long[] {summed}, "keepdim", keep);
        return c.call(order > 0 ? "amax" : "amin", "self", sums, "dim", new long[] {left}, "keepdim", keep);
    }

    private static Tensor norm(Calls c, Arguments a) {
        Tensor x = a.tensor("self");
        String name = a.text("ord", "");
        boolean keep = a.flag("keepdim", false);
        long[] dims = a.integers("dim");
        boolean matrix = a.has("ord") && (dims.length == 2 || dims.length == 0 && x.dims() == 2);
        if (matrix) {
            long[] both = dims.length == 2 ? dims : new long[] {0, 1};
            return matrixNorm(c, x, name, name.isEmpty() ? a.real("ord", 2) : 2, both, keep);
        }
        return c.call("linalg_vector_norm", "self", x, "ord", a.real("ord", 2), "dim", dims, "keepdim", keep);
    }

    private static Tensor op(Calls c, String name, Tensor x, Object other) {
        return c.call(name, "self", x, "other", other);
    }

    private static int dim(Arguments a, Tensor y) {
        return Layout.dimension(a.integer("dim", -1), y.dims());
    }

    /** Of neighbours along a dimension: the later, the earlier. */
    private static Tensor[] neighbours(Calls c, Tensor y, int dim) {
        Tensor left = Slices.slice(c.e(), y, dim, 0, -1, 1);
        Tensor right = Slices.slice(c.e(), y, dim, 1, Long.MAX_VALUE, 1);
        return new Tensor[] {right, left};
    }

    /** Distances of points, seen with the dimensions of the heights. */
    private static Tensor steps(Calls c, Tensor x, Tensor y, int dim) {
        Tensor[] points = neighbours(c, x, x.dims() == 1 ? 0 : dim);
        Tensor steps = op(c, "sub", points[0], points[1]);
        if (x.dims() != 1 || y.dims() == 1) {
            return steps;
        }
        long[] sizes = new long[y.dims()];
        Arrays.fill(sizes, 1);
        sizes[dim] = steps.elements();
        return Views.view(c.e(), steps, sizes);
    }

    private static Tensor area(Calls c, Arguments a) {
        Tensor y = a.tensor("y");
        int dim = dim(a, y);
        long[] dims = {dim};
        if (a.isTensor("x")) {
            Tensor steps = steps(c, a.tensor("x"), y, dim);
            return c.e().call(() -> {
                Tensor[] both = neighbours(c, y, dim);
                Tensor heights = op(c, "add", both[1], both[0]);
                Tensor sum = c.call("sum", "self", op(c, "mul", heights, steps), "dim", dims);
                return op(c, "div", sum, 2.0);
            });
        }
        Tensor first = Slices.select(c.e(), y, dim, 0);
        Tensor last = Slices.select(c.e(), y, dim, -1);
        Tensor ends = op(c, "mul", op(c, "add", first, last), 0.5);
        Tensor sum = c.call("sum", "self", y, "dim", dims);
        return op(c, "mul", op(c, "sub", sum, ends), a.real("dx", 1));
    }

    private static Tensor areas(Calls c, Arguments a) {
        Tensor y = a.tensor("y");
        int dim = dim(a, y);
        Tensor[] both = neighbours(c, y, dim);
        if (a.isTensor("x")) {
            Tensor steps = steps(c, a.tensor("x"), y, dim);
            Tensor heights = op(c, "add", both[1], both[0]);
            Tensor half = op(c, "div", steps, 2.0);
            return c.call("cumsum", "self", op(c, "mul", half, heights), "dim", dim);
        }
        Tensor heights = op(c, "add", both[1], both[0]);
        return c.call("cumsum", "self", op(c, "mul", heights, a.real("dx", 1) / 2), "dim", dim);
    }
}
