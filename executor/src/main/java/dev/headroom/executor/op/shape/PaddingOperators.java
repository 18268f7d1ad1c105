package dev.headroom.executor.op.shape;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.VolumeKernels.Axis;
import dev.headroom.executor.kernel.VolumeKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Padding;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/**
 * {@code pad} in its four modes (aten/src/ATen/native/PadNd.cpp, cuda/ReflectionPad.cu, cuda/ReplicationPadding.cu).
 */
public final class PaddingOperators {
    private PaddingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.pad", (e, a) -> {
            Tensor t = a.tensor("self");
            long[] amounts = a.integers("pad");
            return switch (a.text("mode", "constant")) {
                case "reflect" -> mirrored(e, t, amounts, "Reflection", Kind.MIRRORED);
                case "replicate" -> mirrored(e, t, amounts, "Replication", Kind.HELD);
                case "circular" -> e.call(() -> circular(e, t, amounts));
                default -> Padding.constant(e, t, amounts, a.real("value", 0));
            };
        });
        o.add1(
                "aten.constant_pad_nd",
                (e, a) -> Padding.constant(e, a.tensor("self"), a.integers("pad"), a.real("value", 0)));
        for (int dims = 1; dims <= 3; dims++) {
            o.add1("aten.reflection_pad" + dims + "d", (e, a) -> mirrored(e, a, "Reflection", Kind.MIRRORED));
            o.add1("aten.replication_pad" + dims + "d", (e, a) -> mirrored(e, a, "Replication", Kind.HELD));
        }
    }

    private static long[] sizes(Tensor t, long... amounts) {
        long[] out = t.sizes().clone();
        for (int i = 0; i < amounts.length / 2; i++) {
            int d = t.dims() - 1 - i;
            out[d] += amounts[2 * i] + amounts[2 * i + 1];
            if (out[d] <= 0) {
                throw new UserInputException("pad: nothing is left of a tensor of shape " + Arrays.toString(t.sizes()));
            }
        }
        return out;
    }

    private static Tensor mirrored(Eager e, Arguments a, String name, Kind kind) {
        return mirrored(e, a.tensor("self"), a.integers("padding"), name, kind);
    }

    /** Kernels of their own both ways; mirroring ones read row-major memory, but for gradients of volumes. */
    private static Tensor mirrored(Eager e, Tensor t, long[] amounts, String name, Kind kind) {
        Axis[] axes = new Axis[amounts.length / 2];
        for (int i = 0; i < axes.length; i++) {
            axes[axes.length - 1 - i] = Axis.padded(kind, amounts[2 * i]);
            long most = Math.max(amounts[2 * i], amounts[2 * i + 1]);
            if (kind == Kind.MIRRORED && most >= t.size(-1 - i)) {
                throw new UserInputException(
                        "pad: no " + most + " elements to mirror in a tensor of shape " + Arrays.toString(t.sizes()));
            }
        }
        Recorder r = e.record(name + "PadBackward0", t);
        SavedTensor saved = r.save(t);
        Tensor out = e.empty(t.dtype(), sizes(t, amounts));
        boolean dense = kind == Kind.MIRRORED;
        Tensor packed = dense ? Copies.packed(e, t) : t;
        e.backend().volumes().resample(out, packed, axes);
        e.freeUnless(packed, t);
        return r.backward(g -> {
                    Tensor gradX = e.empty(g[0].dtype(), saved.get().sizes());
                    Tensor up = dense && axes.length < 3 ? Copies.packed(e, g[0]) : g[0];
                    e.backend().volumes().resampleBackward(gradX, up, axes);
                    e.freeUnless(up, g[0]);
                    return new Tensor[] {gradX};
                })
                .output(out);
    }

    /** An empty result; the middle, then the borders of each dimension are copied into it. */
    private static Tensor circular(Eager e, Tensor t, long... amounts) {
        Tensor out = e.empty(t.dtype(), sizes(t, amounts));
        Tensor to = out;
        Tensor from = t;
        for (int i = 0; i < amounts.length / 2; i++) {
            int d = t.dims() - 1 - i;
            long before = amounts[2 * i];
            long after = amounts[2 * i + 1];
            to = Slices.slice(e, to, d, Math.max(before, 0), out.size(d) - Math.max(after, 0), 1);
            from = Slices.slice(e, from, d, Math.max(-before, 0), t.size(d) - Math.max(-after, 0), 1);
        }
        CopyOperators.copyInto(e, to, from);
        for (int i = 0; i < amounts.length / 2; i++) {
            int d = t.dims() - 1 - i;
            long before = amounts[2 * i];
            long after = amounts[2 * i + 1];
            long size = out.size(d);
            if (before > 0) {
                long end = size - Math.max(after, 0);
                Tensor border = Slices.slice(e, out, d, 0, before, 1);
                CopyOperators.copyInto(e, border, Slices.slice(e, out, d, end - before, end, 1));
            }
            if (after > 0) {
                long start = Math.max(before, 0);
                Tensor border = Slices.slice(e, out, d, size - after, size, 1);
                CopyOperators.copyInto(e, border, Slices.slice(e, out, d, start, start + after, 1));
            }
        }
        return out;
    }
}
