package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;

/** Interpolation and sampling grids (ATen/native/cuda/UpSample*.cu, GridSampler.cu). */
final class Upsampling {
    /** With fewer channels the nearest-neighbour kernels work on contiguous copies. */
    private static final long CHANNELS_LAST_FROM = 4;

    private Upsampling() {}

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

    static Tensor run(Call c, int dims, String node) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input", "self");
        long[] sizes = sizes(c, x, dims);
        boolean copies = node.contains("Nearest");
        Recorder r = rt.record(node, x);
        Tensor out = kernel(rt, x, sizes, copies);
        long[] original = x.sizes();
        return r.gradient(0, g -> kernel(rt, g, original, copies))
                .again(grads -> new Tensor[] {resized(rt, node, grads[0], original, copies)})
                .output(out);
    }

    /** One kernel's gradient is the other kernel, however often. */
    private static Tensor resized(EagerRuntime rt, String node, Tensor x, long[] sizes, boolean copies) {
        Recorder r = rt.record(node, x);
        long[] original = x.sizes();
        return r.gradient(0, g -> resized(rt, node, g, original, copies))
                .again()
                .output(kernel(rt, x, sizes, copies));
    }

    /** The result in the suggested layout of what is read; contiguous stand-ins where the kernel needs them. */
    private static Tensor kernel(EagerRuntime rt, Tensor x, long[] sizes, boolean copies) {
        Tensor out = rt.emptyStrided(x.dtype(), sizes, Pooling.channelsLastOr(x, sizes));
        boolean turned = Copies.suggestsChannelsLast(x) && (!copies || x.size(1) >= CHANNELS_LAST_FROM);
        if (turned) {
            Tensor dense = Copies.dense(rt, x, Pooling.formatOf(x));
            rt.freeUnless(dense, x);
            return out;
        }
        Tensor standIn = out.isContiguous() ? null : rt.empty(x.dtype(), sizes);
        Tensor dense = Copies.dense(rt, x);
        rt.freeUnless(dense, x);
        rt.free(standIn);
        return out;
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
