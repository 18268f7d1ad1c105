package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Objects;

/** {@code cat} and {@code stack} (ATen/native/TensorShape.cpp, cat_compute_output_memory_format). */
public final class Joining {
    private Joining() {}

    public static Tensor cat(EagerRuntime rt, long dim, Tensor... tensors) {
        Tensor first = null;
        DType joined = null;
        for (Tensor t : tensors) {
            boolean legacyEmpty = t.dim() == 1 && t.size(0) == 0;
            first = first == null && !legacyEmpty ? t : first;
            joined = Strided.join(joined, t.dtype());
        }
        DType type = Objects.requireNonNull(joined, "tensors to join");
        if (first == null) {
            return rt.empty(type, 0);
        }
        int d = Shapes.wrap(dim, first.dim());
        long total = 0;
        boolean channelsLast = true;
        for (Tensor t : tensors) {
            if (t.dim() == first.dim()) {
                total += t.size(d);
            }
            // cat_compute_output_memory_format (ATen/native/TensorShape.cpp) asks what the strides suggest
            channelsLast &= Copies.suggestsChannelsLast(t);
        }
        long[] sizes = first.sizes().clone();
        sizes[d] = total;
        Recorder r = rt.record("CatBackward0", tensors);
        Tensor out = channelsLast ? rt.emptyStrided(type, sizes, Shapes.channelsLast(sizes)) : rt.empty(type, sizes);
        long[] lengths = new long[tensors.length];
        boolean[] skip = new boolean[tensors.length];
        for (int i = 0; i < lengths.length; i++) {
            skip[i] = tensors[i].dim() != first.dim();
            lengths[i] = skip[i] ? 0 : tensors[i].size(d);
        }
        return r.gradients(grads -> catBackward(rt, r, grads[0], d, lengths, skip))
                .again()
                .output(out);
    }

    /** FunctionsManual.cpp, cat_tensors_backward: the gradients are parts of the one that came in. */
    private static Tensor[] catBackward(
            EagerRuntime rt, Recorder r, Tensor g, int dim, long[] lengths, boolean[] skip) {
        Tensor[] out = new Tensor[lengths.length];
        long at = 0;
        for (int i = 0; i < out.length; i++) {
            if (g != null && !skip[i] && r.needs(i)) {
                out[i] = Views.slice(rt, g, dim, at, at + lengths[i], 1);
            }
            at += lengths[i];
        }
        return out;
    }

    /** {@code stack}: one node, whose gradients are the slices of the one that came in. */
    public static Tensor stack(EagerRuntime rt, long dim, Tensor... tensors) {
        int d = Shapes.wrap(dim, tensors[0].dim() + 1);
        Recorder r = rt.record("StackBackward0", tensors);
        boolean before = rt.setGradMode(false);
        Tensor[] views = new Tensor[tensors.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = Views.unsqueeze(rt, tensors[i], d);
        }
        Tensor out = cat(rt, d, views);
        for (Tensor v : views) {
            rt.free(v);
        }
        rt.setGradMode(before);
        return r.gradients(grads -> Parts.unbind(rt, grads[0], d)).output(out);
    }

    /** {@code hstack}: along the second dimension, vectors along their only one. */
    public static Tensor hstack(EagerRuntime rt, Tensor... tensors) {
        return cat(rt, tensors[0].dim() < 2 ? 0 : 1, tensors);
    }

    /** {@code vstack}: vectors become rows. */
    public static Tensor vstack(EagerRuntime rt, Tensor... tensors) {
        Tensor[] rows = tensors.clone();
        for (int i = 0; i < rows.length; i++) {
            if (rows[i].dim() < 2) {
                rows[i] = Views.view(rt, tensors[i], 1, -1);
            }
        }
        return cat(rt, 0, rows);
    }

    /** {@code column_stack}: vectors become columns. */
    public static Tensor columnStack(EagerRuntime rt, Tensor... tensors) {
        Tensor[] columns = tensors.clone();
        for (int i = 0; i < columns.length; i++) {
            if (columns[i].dim() < 2) {
                columns[i] = Views.view(rt, tensors[i], -1, 1);
            }
        }
        return hstack(rt, columns);
    }
}
