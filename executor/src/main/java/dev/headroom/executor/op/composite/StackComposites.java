package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.basic.Dimensions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Other names of operators, and those that stack, part, turn and contract by others' calls
 * (aten/src/ATen/native/TensorShape.cpp, TensorTransformations.cpp, LinearAlgebra.cpp, Linear.cpp).
 */
public final class StackComposites {
    private static final String[] ALIASES = """
        concat cat
        concatenate cat
        arctan2 atan2
        clip clamp
        clip_ clamp_
        true_divide div
        divide div
        subtract sub
        fix trunc
        fix_ trunc_
        moveaxis movedim
        adjoint mT
        mH mT
        linalg_matmul matmul
        ger outer
        row_stack vstack
        absolute abs
        absolute_ abs_
        arccos acos
        arccos_ acos_
        arccosh acosh
        arccosh_ acosh_
        arcsin asin
        arcsin_ asin_
        arcsinh asinh
        arcsinh_ asinh_
        arctan atan
        arctan_ atan_
        arctanh atanh
        arctanh_ atanh_
        divide_ div_
        true_divide_ div_
        multiply_ mul_
        subtract_ sub_
        negative neg
        negative_ neg_
        greater gt
        greater_ gt_
        greater_equal_ ge_
        less_ lt_
        less_equal_ le_
        not_equal_ ne_
        special_digamma digamma
        special_psi digamma
        special_erfinv erfinv
        special_gammaln lgamma
        special_i0 i0
        special_softmax softmax
        special_log_softmax log_softmax
        linalg_diagonal diagonal
        cross linalg_cross
        trapz trapezoid
        matrix_power linalg_matrix_power
        greater_equal ge
        less lt
        less_equal le
        not_equal ne
        special_erf erf
        special_erfc erfc
        special_exp2 exp2
        special_expit sigmoid
        special_expm1 expm1
        special_log1p log1p
        special_logit logit
        special_logsumexp logsumexp
        special_round round
        special_sinc sinc
        special_xlogy xlogy
        unsafe_chunk chunk
        unsafe_split split
        unsafe_split_with_sizes split_with_sizes
        """.strip().split("\\s+");

    private StackComposites() {}

    public static void register(Operators o) {
        for (int i = 0; i < ALIASES.length; i += 2) {
            String other = "aten." + ALIASES[i + 1];
            o.add("aten." + ALIASES[i], (e, a) -> Objects.requireNonNull(o.find(other), other)
                    .run(e, Autocast.applied(e, a.calling(other)))); // autocast looks at the operator behind the name
        }
        each(o, "atleast_1d", 1);
        each(o, "atleast_2d", 2);
        each(o, "atleast_3d", 3);
        stack(o, "hstack", 1);
        stack(o, "vstack", 2);
        stack(o, "dstack", 3);
        Calls.add(o, "aten.column_stack", (c, a) -> {
            Tensor[] columns =
                    mapped(a.tensors("tensors"), t -> t.dims() <= 1 ? Views.reshape(c.e(), t, t.elements(), 1) : t);
            return c.call("hstack", "tensors", columns);
        });
        parts(o, "hsplit", 1);
        parts(o, "vsplit", 0);
        parts(o, "dsplit", 2);
        Calls.add(o, "aten.fliplr", (c, a) -> c.call("flip", "self", a.tensor("self"), "dims", new long[] {1}));
        Calls.add(o, "aten.flipud", (c, a) -> c.call("flip", "self", a.tensor("self"), "dims", new long[] {0}));
        Calls.add(o, "aten.positive", (c, a) -> a.tensor("self"));
        Calls.add(o, "aten.outer", (c, a) -> {
            Tensor column = Views.unsqueeze(c.e(), a.tensor("self"), 1);
            return c.call("mul", "self", column, "other", a.tensor("vec2"));
        });
        Calls.add(
                o,
                "aten.tensordot",
                (c, a) -> contracted(
                        c, a.tensor("self"), a.tensor("other"), a.integers("dims_self"), a.integers("dims_other")));
        Calls.add(o, "aten.inner", StackComposites::inner);
        Calls.add(o, "aten.kron", (c, a) -> kron(c, a.tensor("self"), a.tensor("other")));
        Calls.add(o, "aten.linalg_vecdot", (c, a) -> {
            Tensor x = a.tensor("x");
            Tensor product = c.call("mul", "self", x, "other", a.tensor("y"));
            return c.call("sum", "self", product, "dim", new long[] {a.integer("dim", -1)});
        });
        Calls.add(o, "aten.cartesian_prod", StackComposites::pairs);
        Calls.add(o, "aten.msort", (c, a) -> c.several("sort", "self", a.tensor("self"), "dim", 0)[0]);
        Calls.add(o, "aten.fft_fftshift", (c, a) -> shifted(c, a, 0));
        Calls.add(o, "aten.fft_ifftshift", (c, a) -> shifted(c, a, 1));
        Calls.add(o, "aten.take_along_dim", StackComposites::taken);
    }

    private static Tensor[] mapped(Tensor[] tensors, UnaryOperator<Tensor> function) {
        return Arrays.stream(tensors).map(function).toArray(Tensor[]::new);
    }

    /** A tensor with at least so many dimensions. */
    private static Tensor atLeast(Eager e, Tensor t, int dims) {
        if (t.dims() >= dims) {
            return t;
        }
        return switch (10 * dims + t.dims()) {
            case 10 -> Views.reshape(e, t, 1);
            case 20 -> Views.reshape(e, t, 1, 1);
            case 21 -> Views.unsqueeze(e, t, 0);
            case 30 -> Views.reshape(e, t, 1, 1, 1);
            case 31 -> Views.unsqueeze(e, Views.unsqueeze(e, t, 0), -1);
            default -> Views.unsqueeze(e, t, -1);
        };
    }

    private static void each(Operators o, String name, int dims) {
        o.add("aten." + name, (e, a) -> {
            Tensor[] given = a.has("tensors") ? a.tensors("tensors") : new Tensor[] {a.tensor("self")};
            return mapped(given, t -> atLeast(e, t, dims));
        });
    }

    private static void stack(Operators o, String name, int dims) {
        Calls.add(o, "aten." + name, (c, a) -> {
            Tensor[] all = mapped(a.tensors("tensors"), t -> atLeast(c.e(), t, dims));
            int dim = dims == 3 ? 2 : dims == 2 || all[0].dims() == 1 ? 0 : 1;
            return c.call("cat", "tensors", all, "dim", dim);
        });
    }

    private static void parts(Operators o, String name, int dim) {
        o.add("aten." + name, (e, a) -> {
            Calls c = new Calls(e, o, true);
            Tensor t = a.tensor("self");
            int along = t.dims() == 1 ? 0 : dim;
            return a.has("indices")
                    ? c.several("tensor_split", "self", t, "indices", a.integers("indices"), "dim", along)
                    : c.several("tensor_split", "self", t, "sections", a.integer("sections", 1), "dim", along);
        });
    }

    /** Both become matrices, the contracted dimensions joined. */
    private static Tensor contracted(Calls c, Tensor a, Tensor b, long[] ofA, long[] ofB) {
        Eager e = c.e();
        long[] restA = rest(a, ofA);
        long[] restB = rest(b, ofB);
        long joined = Arrays.stream(ofA)
                .map(d -> a.size(Layout.dimension(d, a.dims())))
                .reduce(1, (x, y) -> x * y);
        Tensor left = e.call(() -> Views.reshape(
                e, Dimensions.permute(e, a, joined(restA, ofA)), a.elements() / Math.max(1, joined), joined));
        Tensor right = e.call(() -> Views.reshape(
                e, Dimensions.permute(e, b, joined(ofB, restB)), joined, b.elements() / Math.max(1, joined)));
        long[] sizes = LongStream.concat(
                        Arrays.stream(restA).map(d -> a.size((int) d)),
                        Arrays.stream(restB).map(d -> b.size((int) d)))
                .toArray();
        return Views.reshape(e, c.call("mm", "self", left, "mat2", right), sizes);
    }

    private static long[] rest(Tensor t, long... taken) {
        long[] wrapped =
                Arrays.stream(taken).map(d -> Layout.dimension(d, t.dims())).toArray();
        return LongStream.range(0, t.dims())
                .filter(d -> Arrays.stream(wrapped).noneMatch(w -> w == d))
                .toArray();
    }

    private static long[] joined(long[] a, long[] b) {
        return LongStream.concat(Arrays.stream(a), Arrays.stream(b)).toArray();
    }

    private static Tensor inner(Calls c, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor y = a.tensor("other");
        if (x.dims() == 0 || y.dims() == 0) {
            return c.call("mul", "self", x, "other", y);
        }
        if (x.dims() == 1 && y.dims() == 1) {
            return c.call("dot", "self", x, "tensor", y);
        }
        return contracted(c, x, y, new long[] {x.dims() - 1}, new long[] {y.dims() - 1});
    }

    /** Both are viewed with sizes of 1 between their own, so that one product makes every pair. */
    private static Tensor kron(Calls c, Tensor a, Tensor b) {
        int n = Math.max(a.dims(), b.dims());
        long[] left = new long[2 * n];
        long[] right = new long[2 * n];
        long[] sizes = new long[n];
        Arrays.fill(left, 1);
        Arrays.fill(right, 1);
        for (int i = 0; i < n; i++) {
            int inA = i - (n - a.dims());
            int inB = i - (n - b.dims());
            left[2 * i] = inA < 0 ? 1 : a.size(inA);
            right[2 * i + 1] = inB < 0 ? 1 : b.size(inB);
            sizes[i] = left[2 * i] * right[2 * i + 1];
        }
        Tensor x = Views.unsafeView(c.e(), a, left);
        Tensor y = Views.unsafeView(c.e(), b, right);
        return Views.unsafeView(c.e(), c.call("mul", "self", x, "other", y), sizes);
    }

    private static Tensor pairs(Calls c, Arguments a) {
        Tensor[] lines = a.tensors("tensors");
        if (lines.length == 1) {
            return lines[0];
        }
        Tensor[] all = c.several("meshgrid", "tensors", lines);
        Tensor[] flat = mapped(all, t -> Views.reshape(c.e(), t, -1));
        Tensor out = c.call("stack", "tensors", flat, "dim", 1);
        for (Tensor t : flat) { // a vector's elements go first to last
            c.e().free(t);
        }
        return out;
    }

    private static Tensor shifted(Calls c, Arguments a, int more) {
        Tensor t = a.tensor("self");
        long[] dims =
                a.has("dim") ? a.integers("dim") : LongStream.range(0, t.dims()).toArray();
        long[] shifts =
                Arrays.stream(dims).map(d -> (t.size((int) d) + more) / 2).toArray();
        return c.call("roll", "self", t, "shifts", shifts, "dims", dims);
    }

    /** Both broadcast but along the dimension; indices that count from the end are turned in a copy. */
    private static Tensor taken(Calls c, Arguments a) {
        Eager e = c.e();
        Tensor t = a.has("dim") ? a.tensor("self") : Views.reshape(e, a.tensor("self"), -1);
        Tensor index = a.has("dim") ? a.tensor("indices") : Views.reshape(e, a.tensor("indices"), -1);
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        long[] ofSelf = t.sizes().clone();
        long[] ofIndex = index.sizes().clone();
        for (int d = 0; d < ofSelf.length; d++) {
            ofSelf[d] = d == dim ? ofSelf[d] : Math.max(ofSelf[d], ofIndex[d]);
            ofIndex[d] = d == dim ? ofIndex[d] : ofSelf[d];
        }
        Tensor wide = Arrays.equals(ofSelf, t.sizes()) ? t : Views.expand(e, t, ofSelf);
        Tensor seen = Arrays.equals(ofIndex, index.sizes()) ? index : Views.expand(e, index, ofIndex);
        Tensor places = c.call("remainder", "self", seen, "other", t.size(dim));
        return c.call("gather", "self", wide, "dim", dim, "index", places);
    }
}
