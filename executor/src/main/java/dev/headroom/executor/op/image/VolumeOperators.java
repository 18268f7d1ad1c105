package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.VolumeKernels.Axis;
import dev.headroom.executor.kernel.VolumeKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/**
 * Pooling over one or three dimensions, and to a given size (aten/src/ATen/native/cuda/DilatedMaxPool3d.cu,
 * AveragePool3d.cu, AdaptiveMaxPooling2d.cu, AdaptiveMaxPooling3d.cu, AdaptiveAveragePooling3d.cu, MaxUnpooling.cu).
 */
public final class VolumeOperators {
    private VolumeOperators() {}

    private interface Pool {
        Tensor[] run(Tensor x);
    }

    public static void register(Operators o) {
        o.add1("aten.max_pool1d", (e, a) -> maxOfLine(e, a)[0]);
        o.add("aten.max_pool1d_with_indices", VolumeOperators::maxOfLine);
        o.add1("aten.max_pool3d", (e, a) -> max(e, a)[0]);
        o.add("aten.max_pool3d_with_indices", VolumeOperators::max);
        o.add1("aten.avg_pool3d", VolumeOperators::average);
        o.add1("aten.adaptive_avg_pool3d", (e, a) -> {
            Tensor x = a.tensor("self");
            long[] to = ConvolutionOperators.each(a.integers("output_size"), 3);
            return Arrays.stream(to).allMatch(n -> n == 1) ? Poolings.adaptiveMean(e, x, -1, -2, -3) : parts(e, x, to);
        });
        o.add(
                "aten.adaptive_max_pool1d",
                (e, a) -> ofLine(e, a.tensor("self"), x -> greatestParts(e, x, 1, a.integers("output_size")[0])));
        o.add("aten.adaptive_max_pool2d", (e, a) -> greatestParts(e, a, 2));
        o.add("aten.adaptive_max_pool3d", (e, a) -> greatestParts(e, a, 3));
        o.add1("aten.max_unpool2d", (e, a) -> unpool(e, a, 2));
        o.add1("aten.max_unpool3d", (e, a) -> unpool(e, a, 3));
    }

    /** One dimension as two, the first of size 1 (aten/src/ATen/native/Pooling.cpp). */
    private static Tensor[] ofLine(Eager e, Tensor x, Pool pool) {
        try (Scope s = e.open()) {
            Tensor[] out = pool.run(Views.unsqueeze(e, x, -2));
            for (int i = 0; i < out.length; i++) {
                Tensor wide = out[i];
                out[i] = s.pass(Views.squeeze(e, wide, -2));
                e.free(wide);
            }
            return out;
        }
    }

    private static Tensor[] maxOfLine(Eager e, Arguments a) {
        var w = PoolingOperators.window(a, 1);
        var plane = new dev.headroom.executor.kernel.PoolingKernels.Window(
                new long[] {1, w.kernel()[0]},
                new long[] {1, w.stride()[0]},
                new long[] {0, w.padding()[0]},
                new long[] {1, w.dilation()[0]});
        return ofLine(e, a.tensor("self"), x -> Poolings.max(e, x, plane, a.flag("ceil_mode", false)));
    }

    private static Axis[] axes(Arguments a, Kind kind, double weight) {
        var w = PoolingOperators.window(a, 3);
        Axis[] out = new Axis[3];
        for (int i = 0; i < 3; i++) {
            double share = i == 0 ? weight : 1;
            out[i] = Axis.window(kind, w.kernel()[i], w.stride()[i], w.padding()[i], w.dilation()[i], share);
        }
        return out;
    }

    private static Tensor[] max(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Recorder r = e.record("MaxPool3DWithIndicesBackward0", x);
        SavedTensor savedX = r.save(x);
        MemoryFormat format = Formats.suggested(x);
        long[] sizes = Poolings.sizes(x, PoolingOperators.window(a, 3), a.flag("ceil_mode", false));
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        Tensor places = Formats.empty(e, DType.INT64, format, sizes);
        try (Scope s = e.open()) {
            e.backend().volumes().greatest(out, places, Formats.packed(e, x, format), axes(a, Kind.WINDOW, 1));
        }
        SavedTensor savedPlaces = r.saveOutput(places);
        r.backward(g -> {
            Tensor before = savedX.get();
            MemoryFormat f = Formats.suggested(before);
            Tensor gradX = Formats.empty(e, g[0].dtype(), f, before.sizes());
            Copies.clear(e, gradX);
            try (Scope s = e.open()) {
                e.backend().volumes().addAt(gradX, Formats.packed(e, g[0], f), savedPlaces.get(), 3);
            }
            return new Tensor[] {gradX};
        });
        r.output(out);
        return new Tensor[] {out, places};
    }

    /** Row-major only. */
    private static Tensor average(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long divisor = a.integer("divisor_override", 0);
        boolean padded = a.flag("count_include_pad", true);
        Kind kind = divisor != 0 ? Kind.WINDOW : padded ? Kind.MEAN_PADDED : Kind.MEAN_INSIDE;
        Axis[] axes = axes(a, kind, divisor != 0 ? 1.0 / divisor : 1);
        long[] sizes = Poolings.sizes(x, PoolingOperators.window(a, 3), a.flag("ceil_mode", false));
        return mapped(e, "AvgPool3DBackward0", x, sizes, axes);
    }

    private static Tensor parts(Eager e, Tensor x, long[] to) {
        return mapped(e, "AdaptiveAvgPool3DBackward0", x, partSizes(x, to), allParts(3));
    }

    private static Tensor mapped(Eager e, String node, Tensor x, long[] sizes, Axis[] axes) {
        Recorder r = e.record(node, x);
        SavedTensor saved = r.save(x);
        Tensor out = null;
        Tensor packed = null;
        if (node.startsWith("Adaptive")) {
            packed = Formats.packed(e, x);
            out = e.empty(x.dtype(), sizes);
        } else {
            out = e.empty(x.dtype(), sizes);
            packed = Formats.packed(e, x);
        }
        e.backend().volumes().resample(out, packed, axes);
        e.freeUnless(packed, x);
        return r.backward(g -> {
                    Tensor gradX = e.empty(g[0].dtype(), saved.get().sizes());
                    try (Scope s = e.open()) {
                        e.backend().volumes().resampleBackward(gradX, Formats.packed(e, g[0]), axes);
                    }
                    return new Tensor[] {gradX};
                })
                .output(out);
    }

    private static Axis[] allParts(int dims) {
        Axis[] out = new Axis[dims];
        Arrays.fill(out, Axis.parts());
        return out;
    }

    private static long[] partSizes(Tensor x, long[] to) {
        long[] sizes = x.sizes().clone();
        System.arraycopy(to, 0, sizes, sizes.length - to.length, to.length);
        return sizes;
    }

    private static Tensor[] greatestParts(Eager e, Arguments a, int dims) {
        return greatestParts(e, a.tensor("self"), ConvolutionOperators.each(a.integers("output_size"), dims));
    }

    /** In two dimensions results take the suggested layout, though the kernel writes row-major ones. */
    private static Tensor[] greatestParts(Eager e, Tensor x, long... to) {
        boolean volume = to.length == 3;
        Recorder r = e.record(volume ? "AdaptiveMaxPool3DBackward0" : "AdaptiveMaxPool2DBackward0", x);
        SavedTensor savedX = r.save(x);
        MemoryFormat format = volume ? MemoryFormat.CONTIGUOUS : Formats.suggested(x);
        long[] sizes = partSizes(x, to);
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        Tensor places = Formats.empty(e, DType.INT64, format, sizes);
        try (Scope s = e.open()) {
            Tensor values = out.isContiguous() ? out : e.empty(x.dtype(), sizes);
            Tensor where = out.isContiguous() ? places : e.empty(DType.INT64, sizes);
            e.backend().volumes().greatest(values, where, Formats.packed(e, x), allParts(to.length));
            copyUnlessSame(e, out, values);
            copyUnlessSame(e, places, where);
        }
        SavedTensor savedPlaces = r.saveOutput(places);
        r.backward(g -> {
            long[] before = savedX.get().sizes();
            Tensor gradX = Formats.empty(e, g[0].dtype(), format, before);
            try (Scope s = e.open()) {
                Tensor up = Formats.packed(e, g[0]);
                Tensor where = Formats.packed(e, savedPlaces.get());
                Tensor plain = gradX.isContiguous() ? gradX : e.empty(g[0].dtype(), before);
                Copies.clear(e, plain);
                e.backend().volumes().addAt(plain, up, where, to.length);
                copyUnlessSame(e, gradX, plain);
            }
            return new Tensor[] {gradX};
        });
        r.output(out);
        return new Tensor[] {out, places};
    }

    private static void copyUnlessSame(Eager e, Tensor into, Tensor from) {
        if (into != from) {
            Copies.fill(e, into, from);
        }
    }

    /** Values back at the places that a pooling took them from; the gradient is gathered. */
    private static Tensor unpool(Eager e, Arguments a, int dims) {
        Tensor x = a.tensor("self");
        Recorder r = e.record("MaxUnpool" + dims + "DBackward0", x);
        Tensor indices = a.tensor("indices");
        SavedTensor saved = r.save(indices);
        long[] to = a.integers("output_size");
        long[] sizes = partSizes(x, Arrays.copyOfRange(to, to.length - dims, to.length));
        Tensor packed = Formats.packed(e, x);
        Tensor places = Formats.packed(e, indices);
        Tensor out = e.empty(x.dtype(), sizes);
        Copies.clear(e, out);
        e.backend().volumes().addAt(out, packed, places, dims);
        e.freeUnless(places, indices);
        e.freeUnless(packed, x);
        return r.backward(g -> {
                    Tensor where = saved.get();
                    Tensor gradX = e.empty(g[0].dtype(), where.sizes());
                    e.backend().volumes().takeAt(gradX, g[0], where, dims);
                    return new Tensor[] {gradX};
                })
                .output(out);
    }
}
