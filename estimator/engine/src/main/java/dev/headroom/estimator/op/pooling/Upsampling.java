package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** Interpolation and sampling grids (ATen/native/cuda/UpSample*.cu, GridSampler.cu). */
final class Upsampling {
    /** With fewer channels the nearest-neighbour kernels work on contiguous copies. */
    private static final long CHANNELS_LAST_FROM = 4;

    private Upsampling() {}

    /**
     * How a kernel goes about it.
     *
     * @param dims sizes that it changes
     * @param turnsFrom channels from which it works on channels-last tensors as they lie; 0 for any number of them
     * @param readsAnyStrides whether it reads a tensor whose elements do not follow each other; gradients have to
     * @param copiesSame whether all that it does is to copy where no size changes
     */
    record Kernel(int dims, long turnsFrom, boolean readsAnyStrides, boolean copiesSame) {
        static final Kernel BILINEAR = new Kernel(2, 0, true, true);
        /** With a filter against aliasing: never as channels-last tensors lie. */
        static final Kernel SMOOTHING = new Kernel(2, Long.MAX_VALUE, false, false);

        static Kernel nearest(int dims) {
            return new Kernel(dims, CHANNELS_LAST_FROM, false, dims == 2);
        }

        static Kernel interpolating(int dims) {
            return new Kernel(dims, 0, true, false);
        }
    }

    private static long[] sizes(Call c, Tensor x, int dims) {
        long[] sizes = x.sizes().clone();
        long[] given = c.integersOrNull("output_size");
        double[] factors = c.numbersOrNull("scale_factors");
        for (int i = 0; i < dims; i++) {
            int d = sizes.length - dims + i;
            if (given != null && given.length == dims) {
                sizes[d] = given[i];
            } else if (factors != null && factors.length == dims) {
                sizes[d] = (long) Math.floor(x.size(d) * factors[i]);
            } else {
                throw new UserInputException("node " + c.node().name()
                        + ": interpolation with neither output_size nor scale_factors; export the model again");
            }
        }
        return sizes;
    }

    static Tensor run(Call c, Kernel kernel, String node) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input", "self");
        long[] sizes = sizes(c, x, kernel.dims());
        Recorder r = rt.record(node, x);
        Tensor out = forward(rt, kernel, x, sizes);
        long[] original = x.sizes();
        return r.gradient(0, g -> backward(rt, kernel, g, original))
                .again(grads -> new Tensor[] {resized(rt, node, grads[0], original, kernel)})
                .output(out);
    }

    /** One kernel's gradient is the other kernel, however often. */
    private static Tensor resized(EagerRuntime rt, String node, Tensor x, long[] sizes, Kernel kernel) {
        Recorder r = rt.record(node, x);
        long[] original = x.sizes();
        return r.gradient(0, g -> resized(rt, node, g, original, kernel))
                .again()
                .output(backward(rt, kernel, x, sizes));
    }

    private static Tensor forward(EagerRuntime rt, Kernel kernel, Tensor x, long[] sizes) {
        Tensor out = empty(rt, x, sizes);
        boolean asItLies = kernel.readsAnyStrides() && !Copies.suggestsChannelsLast(x);
        if (!asItLies) {
            standIns(rt, kernel, x, out);
        }
        return out;
    }

    private static Tensor backward(EagerRuntime rt, Kernel kernel, Tensor g, long[] sizes) {
        Tensor out = empty(rt, g, sizes);
        standIns(rt, kernel, g, out);
        return out;
    }

    /** The result in the suggested layout of what is read. */
    private static Tensor empty(EagerRuntime rt, Tensor x, long[] sizes) {
        return rt.emptyStrided(x.dtype(), sizes, Pooling.channelsLastOr(x, sizes));
    }

    /** Contiguous stand-ins where the kernel needs them, for the time of its call. */
    private static void standIns(EagerRuntime rt, Kernel kernel, Tensor x, Tensor out) {
        if (kernel.copiesSame() && Arrays.equals(x.sizes(), out.sizes())) {
            return;
        }
        boolean turned = Copies.suggestsChannelsLast(x) && x.size(1) >= kernel.turnsFrom();
        Tensor standIn = turned || out.isContiguous() ? null : rt.empty(x.dtype(), out.sizes());
        Tensor dense = turned ? Copies.dense(rt, x, Pooling.formatOf(x)) : Copies.dense(rt, x);
        rt.freeUnless(dense, x);
        rt.free(standIn);
    }

    static Tensor gridSampler(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input");
        Tensor grid = c.tensor("grid");
        long[] sizes = x.sizes().clone();
        System.arraycopy(grid.sizes(), 1, sizes, 2, sizes.length - 2);
        Recorder r = rt.record("GridSamplerBackward0", x, grid);
        Saved self = r.save(x);
        Saved at = r.save(grid);
        Tensor out = rt.empty(x.dtype(), sizes);
        return r.gradients(grads -> {
                    Tensor gx = r.needs(0) ? rt.empty(x.dtype(), self.get().sizes()) : null;
                    Tensor gg = rt.empty(x.dtype(), at.get().sizes());
                    return new Tensor[] {gx, gg};
                })
                .output(out);
    }
}
