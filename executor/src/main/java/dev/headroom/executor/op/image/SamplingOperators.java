package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.VolumeKernels.Axis;
import dev.headroom.executor.kernel.VolumeKernels.Border;
import dev.headroom.executor.kernel.VolumeKernels.Grid;
import dev.headroom.executor.kernel.VolumeKernels.Kind;
import dev.headroom.executor.kernel.VolumeKernels.Sampling;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/**
 * Resampling of one to three dimensions but those of {@link UpsamplingOperators}, and sampling at given places
 * (aten/src/ATen/native/cuda/UpSample*.cu, GridSampler.cu).
 */
public final class SamplingOperators {
    /** From so many channels on nearest kernels take channels-last tensors as they are. */
    private static final long MANY_CHANNELS = 4;

    private SamplingOperators() {}

    public static void register(Operators o) {
        add(o, "upsample_nearest1d", "UpsampleNearest1D", 1, Kind.NEAREST);
        add(o, "upsample_nearest3d", "UpsampleNearest3D", 3, Kind.NEAREST);
        for (int dims = 1; dims <= 3; dims++) {
            String name = "_upsample_nearest_exact" + dims + "d";
            add(o, name, "UpsampleNearestExact" + dims + "D", dims, Kind.NEAREST_EXACT);
        }
        add(o, "upsample_linear1d", "UpsampleLinear1D", 1, Kind.LINEAR);
        add(o, "upsample_trilinear3d", "UpsampleTrilinear3D", 3, Kind.LINEAR);
        add(o, "upsample_bicubic2d", "UpsampleBicubic2D", 2, Kind.CUBIC);
        add(o, "_upsample_bilinear2d_aa", "UpsampleBilinear2DAa", 2, Kind.LINEAR_SMOOTHED);
        add(o, "_upsample_bicubic2d_aa", "UpsampleBicubic2DAa", 2, Kind.CUBIC_SMOOTHED);
        o.add1("aten.grid_sampler", SamplingOperators::sample);
        o.add1("aten.grid_sampler_2d", SamplingOperators::sample);
        o.add1("aten.grid_sampler_3d", SamplingOperators::sample);
    }

    private static void add(Operators o, String name, String node, int dims, Kind kind) {
        o.add1("aten." + name, (e, a) -> {
            Tensor x = a.tensor(a.has("input") ? "input" : "self");
            Recorder r = e.record(node + "Backward0", x);
            double[] factors = UpsamplingOperators.factors(a, dims);
            long[] sizes = UpsamplingOperators.sizes(a, x, factors);
            Axis[] axes = new Axis[dims];
            boolean corners = a.flag("align_corners", false);
            for (int i = 0; i < dims; i++) {
                int d = x.dims() - dims + i;
                axes[i] = Axis.resampled(kind, step(x.size(d), sizes[d], factors[i], corners), corners);
            }
            Tensor out = resampled(e, x, sizes, kind, true, axes);
            long[] before = x.sizes();
            return r.backward(g -> new Tensor[] {resampled(e, g[0], before, kind, false, axes)})
                    .output(out);
        });
    }

    /** Elements of the source from one of the result to the next (aten/src/ATen/native/UpSample.h). */
    private static double step(long from, long to, double factor, boolean corners) {
        if (corners) {
            return to > 1 ? (double) (from - 1) / (to - 1) : 0;
        }
        return factor > 0 ? 1 / factor : (double) from / to;
    }

    /** Either way: in the suggested layout, through row-major stand-ins where the kernel needs them. */
    private static Tensor resampled(Eager e, Tensor x, long[] sizes, Kind kind, boolean forward, Axis... axes) {
        boolean nearest = kind == Kind.NEAREST || kind == Kind.NEAREST_EXACT;
        boolean smooths = kind == Kind.LINEAR_SMOOTHED || kind == Kind.CUBIC_SMOOTHED;
        MemoryFormat format = Formats.suggested(x);
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        if (kind == Kind.NEAREST_EXACT && axes.length == 2 && UpsamplingOperators.copies(e, out, x)) {
            return out;
        }
        boolean asItLies = format != MemoryFormat.CONTIGUOUS && !smooths && (!nearest || x.size(1) >= MANY_CHANNELS);
        boolean anyStrides = forward && !nearest && !smooths && format == MemoryFormat.CONTIGUOUS;
        try (Scope s = e.open()) {
            Tensor work = asItLies || out.isContiguous() ? out : e.empty(x.dtype(), sizes);
            Tensor source = anyStrides ? x : Formats.packed(e, x, asItLies ? format : MemoryFormat.CONTIGUOUS);
            if (forward) {
                e.backend().volumes().resample(work, source, axes);
            } else {
                e.backend().volumes().resampleBackward(work, source, axes);
            }
            if (work != out) {
                Copies.fill(e, out, work);
            }
        }
        return out;
    }

    private static Tensor sample(Eager e, Arguments a) {
        Tensor x = a.tensor("input");
        Tensor grid = a.tensor("grid");
        Grid how = new Grid(
                Sampling.values()[(int) a.integer("interpolation_mode", 0)],
                Border.values()[(int) a.integer("padding_mode", 0)],
                a.flag("align_corners", false));
        Recorder r = e.record("GridSamplerBackward0", x, grid);
        SavedTensor savedX = r.save(x);
        SavedTensor savedGrid = r.save(grid);
        long[] sizes = x.sizes().clone();
        System.arraycopy(grid.sizes(), 1, sizes, 2, sizes.length - 2);
        Tensor out = e.empty(x.dtype(), sizes);
        e.backend().volumes().sample(out, x, grid, how);
        DType type = x.dtype();
        return r.backward(g -> {
                    Tensor before = savedX.get();
                    Tensor at = savedGrid.get();
                    Tensor gradX = r.needs(0) ? e.empty(type, before.sizes()) : null;
                    if (gradX != null) {
                        Copies.clear(e, gradX);
                    }
                    Tensor gradGrid = e.empty(type, at.sizes());
                    e.backend().volumes().sampleBackward(gradX, gradGrid, g[0], before, at, how);
                    return new Tensor[] {gradX, gradGrid};
                })
                .output(out);
    }
}
