package dev.headroom.executor.op.shape;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** {@code aten.cat} and {@code aten.stack}. */
public final class JoiningOperators {
    private JoiningOperators() {}

    public static void register(Operators o) {
        o.add1("aten.cat", (e, a) -> cat(e, a.tensors("tensors"), a.integer("dim", 0)));
        o.add1("aten.stack", (e, a) -> stack(e, a.tensors("tensors"), a.integer("dim", 0)));
    }

    /** {@code cat} (aten/src/ATen/native/TensorShape.cpp): tensors of the shape (0) are passed over. */
    static Tensor cat(Eager e, Tensor[] parts, long along) {
        Tensor first =
                Arrays.stream(parts).filter(t -> !isNothing(t)).findFirst().orElse(parts[0]);
        int dim = Layout.dimension(along, first.dims());
        long[] sizes = first.sizes().clone();
        sizes[dim] = 0;
        DType type = parts[0].dtype();
        for (Tensor t : parts) {
            type = Promotion.common(Tensor.number(type, 0), Tensor.number(t.dtype(), 0));
            if (!isNothing(t)) {
                requireFit(t, first, dim);
                sizes[dim] += t.size(dim);
            }
        }
        Recorder r = e.record("CatBackward0", parts);
        Tensor out = Formats.empty(e, type, Formats.common(parts), sizes);
        long at = 0;
        for (Tensor t : parts) {
            if (!isNothing(t)) {
                try (var s = e.open()) {
                    Copies.fill(e, e.alias(out, t.sizes(), out.strides(), out.offset() + at * out.stride(dim)), t);
                }
                at += t.size(dim);
            }
        }
        long[][] shapes = Arrays.stream(parts).map(Tensor::sizes).toArray(long[][]::new);
        return r.backward(g -> slices(e, r, g[0], shapes, dim)).output(out);
    }

    private static void requireFit(Tensor t, Tensor first, int dim) {
        for (int d = 0; d < first.dims(); d++) {
            if (t.dims() != first.dims() || d != dim && t.size(d) != first.size(d)) {
                throw new UserInputException("cat: tensors of shapes " + Arrays.toString(first.sizes()) + " and "
                        + Arrays.toString(t.sizes()) + " cannot be joined in dimension " + dim);
            }
        }
    }

    private static boolean isNothing(Tensor t) {
        return t.dims() == 1 && t.size(0) == 0;
    }

    /** cat_tensors_backward: views of the gradient, which keep it alive and so are never summed in place. */
    private static Tensor[] slices(Eager e, Recorder r, Tensor g, long[][] shapes, int dim) {
        Tensor[] out = new Tensor[shapes.length];
        long at = 0;
        for (int i = 0; i < shapes.length; i++) {
            boolean nothing = shapes[i].length == 1 && shapes[i][0] == 0;
            if (nothing) {
                out[i] = r.needs(i) ? e.empty(g.dtype(), 0) : null;
                continue;
            }
            out[i] = r.needs(i) ? e.view(g, shapes[i], g.strides(), g.offset() + at * g.stride(dim)) : null;
            at += shapes[i][dim];
        }
        return out;
    }

    /** {@code stack}: parts with a new dimension, joined along it. */
    static Tensor stack(Eager e, Tensor[] parts, long along) {
        int dim = Layout.dimension(along, parts[0].dims() + 1);
        Recorder r = e.record("StackBackward0", parts);
        long[] sizes = new long[parts[0].dims() + 1];
        for (int d = 0; d < sizes.length; d++) {
            sizes[d] = d == dim ? parts.length : parts[0].sizes()[d < dim ? d : d - 1];
        }
        Tensor out = e.empty(Promotion.common(parts), sizes);
        for (int i = 0; i < parts.length; i++) {
            if (!Arrays.equals(parts[i].sizes(), parts[0].sizes())) {
                throw new UserInputException("stack: tensors of shapes " + Arrays.toString(parts[0].sizes()) + " and "
                        + Arrays.toString(parts[i].sizes()));
            }
            try (var s = e.open()) {
                Copies.fill(e, layer(e, out, dim, i), parts[i]);
            }
        }
        return r.backward(g -> {
                    Tensor[] grads = new Tensor[parts.length];
                    for (int i = 0; i < grads.length; i++) {
                        grads[i] = r.needs(i) ? Slices.select(e, g[0], dim, i) : null;
                    }
                    return grads;
                })
                .output(out);
    }

    /** {@code select}. */
    private static Tensor layer(Eager e, Tensor t, int dim, int index) {
        long[] ones = t.sizes().clone();
        ones[dim] = 1;
        return Formats.removed(e, e.alias(t, ones, t.strides(), t.offset() + index * t.stride(dim)), dim);
    }
}
