package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Views of the parts of a tensor, one node for all (ATen/native/TensorShape.cpp). */
public final class Parts {
    private Parts() {}

    /** {@code split} into parts of the given lengths: one node for all (split_backward). */
    public static Tensor[] split(EagerRuntime rt, Tensor t, long dim, long... lengths) {
        int d = Shapes.wrap(dim, t.dim());
        Tensor[] out = new Tensor[lengths.length];
        Recorder r = rt.record("SplitBackward0", t);
        long at = 0;
        for (int i = 0; i < lengths.length; i++) {
            long[] sizes = t.sizes().clone();
            sizes[d] = lengths[i];
            out[i] = rt.view(t, sizes, t.strides(), t.offset() + at * t.stride(d));
            at += lengths[i];
            r.output(out[i]);
        }
        long[] original = t.sizes();
        r.gradients(grads -> splitBackward(rt, grads, lengths, d, original)).again();
        return out;
    }

    private static Tensor[] splitBackward(EagerRuntime rt, Tensor[] grads, long[] lengths, int dim, long[] original) {
        Tensor any = null;
        for (Tensor g : grads) {
            any = any == null ? g : any;
        }
        if (any == null) {
            return new Tensor[1];
        }
        Tensor[] all = grads.clone();
        for (int i = 0; i < all.length; i++) {
            if (all[i] == null) {
                long[] sizes = original.clone();
                sizes[dim] = lengths[i];
                all[i] = Creation.zeros(rt, any.dtype(), sizes);
            }
        }
        Tensor joined = Joining.cat(rt, dim, all);
        for (int i = 0; i < all.length; i++) { // a vector's elements go in their order
            rt.freeUnless(all[i], grads[i]);
        }
        return new Tensor[] {joined};
    }

    /** Lengths of the parts of a {@code split} by one size. */
    public static long[] parts(long size, long part) {
        int n = (int) Math.max(1, (size + part - 1) / Math.max(part, 1));
        long[] out = new long[n];
        Arrays.fill(out, part);
        out[n - 1] = size - part * (n - 1);
        return out;
    }

    /** {@code unbind}: slices along a dimension, one node for all (unbind_backward stacks). */
    public static Tensor[] unbind(EagerRuntime rt, Tensor t, long dim) {
        int d = Shapes.wrap(dim, t.dim());
        int n = Math.toIntExact(t.size(d));
        Tensor[] out = new Tensor[n];
        Recorder r = rt.record("UnbindBackward0", t);
        long[] sizes = Dimensions.without(t.sizes(), d);
        long[] strides = Dimensions.without(t.strides(), d);
        for (int i = 0; i < n; i++) {
            out[i] = rt.view(t, sizes, strides, t.offset() + i * t.stride(d));
            r.output(out[i]);
        }
        r.gradients(grads -> {
                    Tensor[] all = grads.clone();
                    Tensor any = null;
                    for (Tensor g : grads) {
                        any = any == null ? g : any;
                    }
                    if (any == null) {
                        return new Tensor[1];
                    }
                    Tensor[] zeros = new Tensor[all.length];
                    for (int i = 0; i < all.length; i++) {
                        zeros[i] = all[i] == null ? rt.empty(any.dtype()) : null; // a number, expanded
                        all[i] = all[i] == null ? rt.reinterpret(zeros[i], sizes, new long[sizes.length], 0) : all[i];
                    }
                    Tensor joined = Joining.stack(rt, d, all);
                    for (int i = 0; i < all.length; i++) { // a vector's elements go in their order
                        if (zeros[i] != null) {
                            rt.free(zeros[i]);
                            rt.free(all[i]);
                        }
                    }
                    return new Tensor[] {joined};
                })
                .again();
        return out;
    }
}
