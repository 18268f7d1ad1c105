package dev.headroom.executor.op.composite;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** {@code cdist} (aten/src/ATen/native/Distance.cpp, cuda/DistanceKernel.cu). */
public final class Distances {
    /** From so many vectors on, Euclidean distances are computed by a matrix product. */
    private static final long BY_PRODUCT = 25;

    private static final Formula ROOT = Formula.unary("root", "x0 > 0 ? sqrt(x0) : 0", x -> x > 0 ? Math.sqrt(x) : 0);

    private Distances() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.cdist", Distances::cdist);
    }

    private static Tensor cdist(Calls c, Arguments a) {
        Tensor x = a.tensor("x1");
        Tensor y = a.tensor("x2");
        int lead = x.dims() - 2;
        if (lead != y.dims() - 2 || !Arrays.equals(x.sizes(), 0, lead, y.sizes(), 0, lead)) {
            throw new UserInputException("cdist of batches of different sizes is not supported by the executor");
        }
        double p = a.real("p", 2);
        long mode = a.integer("compute_mode", 0);
        boolean many = x.size(-2) > BY_PRODUCT || y.size(-2) > BY_PRODUCT;
        boolean product = p == 2 && (mode == 1 || mode == 0 && many);
        return product ? euclidean(c, x, y) : direct(c.e(), x, y, p);
    }

    /** {@code _euclidean_dist}: one product of matrices that squared lengths and ones widen. */
    private static Tensor euclidean(Calls c, Tensor x, Tensor y) {
        Eager e = c.e();
        Recorder r = e.record("EuclideanDistBackward0", x, y);
        SavedTensor savedX = r.save(x);
        SavedTensor savedY = r.save(y);
        boolean before = e.tape().setEnabled(false);
        Tensor out;
        try {
            out = e.call(() -> product(c, x, y));
        } finally {
            e.tape().setEnabled(before);
        }
        SavedTensor result = r.saveOutput(out);
        r.backward(g -> euclideanGradients(c, g[0], savedX.get(), savedY.get(), result.get()));
        return r.output(out);
    }

    private static Tensor product(Calls c, Tensor x, Tensor y) {
        Eager e = c.e();
        Tensor lengthX = squared(c, x);
        Tensor oneX = ones(e, lengthX);
        Tensor lengthY = squared(c, y);
        Tensor oneY = ones(e, lengthY);
        Tensor doubled = c.call("mul", "self", x, "other", -2);
        Tensor left = c.call("cat", "tensors", new Tensor[] {doubled, lengthX, oneX}, "dim", -1);
        e.free(oneX); // an array's elements go last to first
        e.free(lengthX);
        e.free(doubled);
        Tensor right = c.call("cat", "tensors", new Tensor[] {y, oneY, lengthY}, "dim", -1);
        e.free(lengthY);
        e.free(oneY);
        Tensor turned = Views.transpose(e, right, -2, -1);
        Tensor out = c.call("matmul", "self", left, "other", turned);
        Elementwise.into(e, ROOT, out, out);
        return out;
    }

    private static Tensor squared(Calls c, Tensor x) {
        return c.e().call(() -> {
            Tensor square = c.call("pow", "self", x, "exponent", 2);
            return c.call("sum", "self", square, "dim", new long[] {-1}, "keepdim", true);
        });
    }

    private static Tensor ones(Eager e, Tensor like) {
        Tensor out = e.emptyLike(like);
        Elementwise.fill(e, out, 1);
        return out;
    }

    private static Tensor[] euclideanGradients(Calls c, Tensor g, Tensor x, Tensor y, Tensor result) {
        Eager e = c.e();
        Steps s = new Steps(e);
        try (var scope = e.open()) {
            Tensor ratio = s.over(g, result);
            Tensor none = s.truth(Formulas.EQUALS_ZERO, result);
            Elementwise.into(e, Formulas.CLEARED, ratio, ratio, none);
            e.free(none);
            Tensor ofX = c.call("matmul", "self", ratio, "other", y);
            Tensor rows = c.call("sum", "self", ratio, "dim", new long[] {-1}, "keepdim", true);
            Tensor first = s.minus(s.times(x, rows), ofX);
            Tensor turned = Views.transpose(e, ratio, -2, -1);
            Tensor ofY = c.call("matmul", "self", turned, "other", x);
            Tensor columns = c.call("sum", "self", ratio, "dim", new long[] {-2}, "keepdim", false);
            Tensor second = s.minus(s.times(y, Views.unsqueeze(e, columns, -1)), ofY);
            return new Tensor[] {scope.pass(first), scope.pass(second)};
        }
    }

    private static Tensor direct(Eager e, Tensor x, Tensor y, double p) {
        Recorder r = e.record("CdistBackward0", x, y);
        SavedTensor savedX = r.save(x);
        SavedTensor savedY = r.save(y);
        long[] sizes = x.sizes().clone();
        sizes[sizes.length - 1] = y.size(-2);
        Tensor packedX = Copies.packed(e, x);
        Tensor packedY = Copies.packed(e, y);
        Tensor out = e.empty(x.dtype(), sizes);
        if (out.elements() > 0) {
            e.backend().matrices().distances(batch(e, out), batch(e, packedX), batch(e, packedY), p);
        }
        e.freeUnless(packedY, y);
        e.freeUnless(packedX, x);
        SavedTensor result = r.saveOutput(out);
        r.backward(g -> {
            Tensor ofX = !r.needs(0)
                    ? null
                    : e.call(() -> {
                        Tensor up = Copies.packed(e, g[0]);
                        return gradient(e, up, savedX.get(), savedY.get(), result.get(), p);
                    });
            Tensor ofY = !r.needs(1)
                    ? null
                    : e.call(() -> {
                        Tensor lengths = Copies.packed(e, turned(e, result.get()));
                        Tensor up = Copies.packed(e, turned(e, g[0]));
                        return gradient(e, up, savedY.get(), savedX.get(), lengths, p);
                    });
            return new Tensor[] {ofX, ofY};
        });
        return r.output(out);
    }

    private static Tensor turned(Eager e, Tensor t) {
        return Views.transpose(e, t, -2, -1);
    }

    /** As (n, rows, columns). */
    private static Tensor batch(Eager e, Tensor t) {
        long lead = Arrays.stream(t.sizes(), 0, t.dims() - 2).reduce(1, (a, b) -> a * b);
        long[] sizes = {lead, t.size(-2), t.size(-1)};
        return e.alias(t, sizes, Layout.contiguous(sizes), t.offset());
    }

    /** A buffer has what each pair gives to each coordinate; its sum over the other rows is the gradient. */
    private static Tensor gradient(Eager e, Tensor g, Tensor x, Tensor y, Tensor lengths, double p) {
        Tensor packedX = Copies.packed(e, x);
        Tensor packedY = Copies.packed(e, y);
        Tensor out = e.empty(x.dtype(), x.sizes());
        Tensor flat = batch(e, out);
        long n = flat.size(0);
        long rows = flat.size(1);
        long width = flat.size(2);
        Tensor pairs = e.empty(x.dtype(), n, y.size(-2), rows, width);
        e.backend()
                .matrices()
                .distanceSlopes(pairs, batch(e, g), batch(e, packedX), batch(e, packedY), batch(e, lengths), p);
        Tensor kept = e.alias(flat, new long[] {n, 1, rows, width}, new long[] {rows * width, 0, width, 1}, 0);
        Reductions.into(e, Kind.SUM, kept, pairs);
        e.freeUnless(pairs, out);
        e.freeUnless(packedY, y);
        e.freeUnless(packedX, x);
        return out;
    }
}
