package dev.headroom.executor.op.basic;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** {@code constant_pad_nd} (aten/src/ATen/native/PadNd.cpp). */
public final class Padding {
    private Padding() {}

    /**
     * Frames a tensor with a number, or cuts it where an amount is negative.
     *
     * @param amounts before and after, from the last dimension on
     */
    public static Tensor constant(Eager e, Tensor t, long[] amounts, double value) {
        Recorder r = e.record("ConstantPadNdBackward0", t);
        Tensor out = e.call(() -> padded(e, t, amounts, value));
        long[] opposite = Arrays.stream(amounts).map(n -> -n).toArray();
        return r.backward(g -> new Tensor[] {e.call(() -> padded(e, g[0], opposite, 0))})
                .output(out);
    }

    private static Tensor padded(Eager e, Tensor t, long[] amounts, double value) {
        int n = t.dims();
        long[] sizes = t.sizes().clone();
        long[] kept = t.sizes().clone();
        long from = t.offset();
        boolean grows = false;
        for (int i = 0; i < amounts.length / 2; i++) {
            int d = n - 1 - i;
            long before = amounts[2 * i];
            long after = amounts[2 * i + 1];
            sizes[d] += before + after;
            kept[d] += Math.min(before, 0) + Math.min(after, 0);
            from += Math.max(-before, 0) * t.stride(d);
            grows |= before > 0 || after > 0;
            if (sizes[d] < 0 || kept[d] < 0) {
                throw new UserInputException("pad: nothing is left of a tensor of shape " + Arrays.toString(t.sizes()));
            }
        }
        Tensor inner = e.alias(t, kept, t.strides(), from);
        if (!grows) {
            Tensor out = e.emptyLike(inner);
            Copies.fill(e, out, inner);
            return out;
        }
        Tensor out = Formats.empty(e, t.dtype(), Formats.suggested(t), sizes);
        Elementwise.fill(e, out, value);
        long to = out.offset();
        for (int i = 0; i < amounts.length / 2; i++) {
            to += Math.max(amounts[2 * i], 0) * out.stride(n - 1 - i);
        }
        Copies.fill(e, e.alias(out, kept, out.strides(), to), inner);
        return out;
    }
}
