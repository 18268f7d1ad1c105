package dev.headroom.executor.op.composite;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/**
 * Turned and shuffled tensors, places in triangles, and grids that a matrix moves
 * (aten/src/ATen/native/TensorTransformations.cpp, ChanelShuffle.cpp, TensorFactories.cpp, AffineGridGenerator.cpp).
 */
public final class TurningComposites {
    private TurningComposites() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.rot90", TurningComposites::turned);
        for (String name : new String[] {"channel_shuffle", "native_channel_shuffle"}) {
            o.add1("aten." + name, (e, a) -> shuffled(e, a.tensor("self"), a.integer("groups", 1)));
        }
        o.add1("aten.tril_indices", (e, a) -> triangle(e, a, false));
        o.add1("aten.triu_indices", (e, a) -> triangle(e, a, true));
        o.add1(
                "aten.affine_grid_generator",
                (e, a) -> grid(
                        new Calls(e, o, true), a.tensor("theta"), a.integers("size"), a.flag("align_corners", false)));
        // Real numbers are their own conjugates; what is lifted is on the device already.
        for (String name : "conj _conj conj_physical conj_physical_ resolve_conj".split(" ")) {
            o.add1("aten." + name, (e, a) -> conjugate(e, name, a.tensor("self")));
        }
        for (String name : "resolve_neg lift lift_fresh".split(" ")) {
            o.add1("aten." + name, (e, a) -> a.tensor("self"));
        }
        Calls.add(o, "aten.alias_copy", (c, a) -> Copies.clone(c.e(), a.tensor("self"), MemoryFormat.PRESERVE));
        Calls.add(o, "aten.special_ndtr", (c, a) -> {
            Tensor scaled = c.call("mul", "self", a.tensor("self"), "other", Math.sqrt(0.5));
            Tensor error = c.call("erf", "self", scaled);
            return c.call("mul", "self", c.call("add", "self", error, "other", 1.0), "other", 0.5);
        });
    }

    private static Tensor conjugate(Eager e, String name, Tensor t) {
        if (t.dtype().isComplex() && e.backend().computes()) {
            throw new UserInputException(name + " of complex numbers is not computed by the executor");
        }
        return t;
    }

    private static Tensor turned(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long[] dims = a.integers("dims", 0, 1);
        int times = (int) Math.floorMod(a.integer("k", 1), 4L);
        return switch (times) {
            case 1 -> Views.transpose(c.e(), flipped(c, t, dims[1]), dims[0], dims[1]);
            case 2 -> flipped(c, t, dims);
            case 3 -> Views.transpose(c.e(), flipped(c, t, dims[0]), dims[0], dims[1]);
            default -> Copies.clone(c.e(), t, MemoryFormat.CONTIGUOUS);
        };
    }

    private static Tensor flipped(Calls c, Tensor t, long... dims) {
        return c.call("flip", "self", t, "dims", dims);
    }

    /** One node: channels as (groups, rest), turned and copied. */
    private static Tensor shuffled(Eager e, Tensor t, long groups) {
        Recorder r = e.record("NativeChannelShuffleBackward0", t);
        return r.backward(g -> new Tensor[] {moved(e, g[0], g[0].size(1) / groups)})
                .output(moved(e, t, groups));
    }

    private static Tensor moved(Eager e, Tensor t, long groups) {
        Tensor packed = Copies.packed(e, t);
        Tensor out = e.empty(t.dtype(), t.sizes());
        try (var s = e.open()) {
            long n = t.size(0);
            long each = t.size(1) / groups;
            long rest = t.elements() / Math.max(1, n * t.size(1));
            long[] from = {groups * each * rest, rest, each * rest, 1};
            long[] sizes = {n, each, groups, rest};
            Tensor seen = e.alias(packed, sizes, from, packed.offset());
            Copies.fill(e, e.alias(out, sizes, Layout.contiguous(sizes), 0), seen);
        }
        e.freeUnless(packed, t);
        return out;
    }

    /** Rows and columns of what lies in a triangle, row by row: counted on the host, as their number is. */
    private static Tensor triangle(Eager e, Arguments a, boolean upper) {
        long rows = a.integer("row", 0);
        long columns = a.integer("col", 0);
        long offset = a.integer("offset", 0);
        double[] first = new double[Math.toIntExact(rows * columns)];
        double[] second = new double[first.length];
        int n = 0;
        for (long i = 0; i < rows; i++) {
            for (long j = 0; j < columns; j++) {
                if (upper ? j - i >= offset : j - i <= offset) {
                    first[n] = i;
                    second[n++] = j;
                }
            }
        }
        Tensor out = e.empty(a.dtypeOr(DType.INT64), 2, n);
        double[] both = Arrays.copyOf(first, 2 * n);
        System.arraycopy(second, 0, both, n, n);
        e.backend().write(out, both);
        return out;
    }

    private static Tensor grid(Calls c, Tensor theta, long[] size, boolean corners) {
        Eager e = c.e();
        int dims = size.length - 2;
        long places = Arrays.stream(size, 2, size.length).reduce(1, (x, y) -> x * y);
        Recorder r = e.record("AffineGridGeneratorBackward0", theta);
        Tensor out = e.call(() -> {
            Tensor base = base(c, theta, size, corners);
            Tensor points = e.alias(base, new long[] {size[0], places, dims + 1}, strides(places, dims), 0);
            long[] turned = {theta.size(0), theta.size(2), theta.size(1)};
            long[] steps = {theta.stride(0), theta.stride(2), theta.stride(1)};
            Tensor matrix = e.alias(theta, turned, steps, theta.offset()); // autograd sees the whole as one operator
            Tensor moved = c.call("bmm", "self", points, "mat2", matrix);
            long[] shape = Arrays.copyOf(size, size.length);
            System.arraycopy(size, 2, shape, 1, dims);
            shape[dims + 1] = dims;
            return e.alias(moved, shape, Layout.contiguous(shape), 0);
        });
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Tensor base = base(c, theta, size, corners);
                        Tensor points = e.alias(base, new long[] {size[0], places, dims + 1}, strides(places, dims), 0);
                        Tensor up = Views.reshape(e, g[0], size[0], places, dims);
                        Tensor turned = Views.transpose(e, points, 1, 2);
                        Tensor moved = c.call("bmm", "self", turned, "mat2", up);
                        return Views.transpose(e, moved, 1, 2);
                    })
                })
                .output(out);
    }

    private static long[] strides(long places, int dims) {
        return new long[] {places * (dims + 1), dims + 1, 1};
    }

    /** The places that the unit matrix leaves where they are, each with a one behind its coordinates. */
    private static Tensor base(Calls c, Tensor theta, long[] size, boolean corners) {
        Eager e = c.e();
        int dims = size.length - 2;
        long[] shape = Arrays.copyOf(size, size.length);
        System.arraycopy(size, 2, shape, 1, dims);
        shape[dims + 1] = dims + 1L;
        Tensor out = e.empty(theta.dtype(), shape);
        for (int k = 0; k < dims; k++) {
            int dim = dims - k; // the fastest coordinate first
            long n = shape[dim];
            try (var s = e.open()) {
                long[] sizes = shape.clone();
                sizes[dims + 1] = 1;
                Tensor column = e.alias(out, sizes, out.strides(), k);
                long[] steps = new long[sizes.length];
                Tensor line = line(e, theta.dtype(), n, corners);
                steps[dim] = 1;
                Copies.fill(e, column, e.alias(line, sizes, steps, 0));
            }
        }
        try (var s = e.open()) {
            long[] sizes = shape.clone();
            sizes[dims + 1] = 1;
            Elementwise.fill(e, e.alias(out, sizes, out.strides(), dims), 1);
        }
        return out;
    }

    /** From -1 to 1, at corners or at middles. */
    private static Tensor line(Eager e, DType type, long n, boolean corners) {
        Tensor out = e.empty(type, n);
        e.backend().indexing().range(out, n > 1 ? -1 : 0, n > 1 ? 2.0 / (n - 1) : 0);
        if (corners) {
            return out;
        }
        Tensor wide = Scaling.times(e, out, n - 1.0);
        Tensor middles = Scaling.times(e, wide, 1.0 / n);
        e.free(out); // the variable takes the new one before the expression ends
        e.free(wide);
        return middles;
    }
}
