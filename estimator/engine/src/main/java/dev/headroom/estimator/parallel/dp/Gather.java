package dev.headroom.estimator.parallel.dp;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.DeviceCopies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Puts what the GPUs made together on the first one (torch/nn/parallel/_functions.py, Gather). */
final class Gather {
    private Gather() {}

    /**
     * Gathers along the first dimension; scalars become a vector.
     *
     * @param made one a GPU
     * @return a local variable of the running frame
     */
    static Tensor of(EagerRuntime runtime, Tensor... made) {
        Tensor first = made[0];
        boolean scalars = first.dim() == 0;
        long[] sizes = scalars ? new long[1] : first.sizes().clone();
        sizes[0] = Arrays.stream(made).mapToLong(t -> scalars ? 1 : t.size(0)).sum();
        boolean channelsLast = Arrays.stream(made).allMatch(Copies::suggestsChannelsLast);
        Recorder node = runtime.record("GatherBackward", made);
        Tensor out = runtime.emptyStrided(
                first.dtype(), sizes, channelsLast ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes));
        long[][] shapes = Arrays.stream(made).map(Tensor::sizes).toArray(long[][]::new);
        node.gradients(grads -> scatter(runtime, grads[0], shapes));
        return node.output(out);
    }

    /** Parts of the gradient, which are copied to where they belong; the first GPU's stays a view. */
    private static Tensor[] scatter(EagerRuntime runtime, Tensor grad, long[]... shapes) {
        Tensor[] out = new Tensor[shapes.length];
        long row = grad.stride(0);
        long offset = grad.offset();
        for (int d = 0; d < out.length; d++) {
            boolean scalar = shapes[d].length == 0;
            long[] strides = scalar ? new long[0] : grad.strides();
            out[d] = runtime.reinterpret(grad, shapes[d], strides, offset);
            offset += row * (scalar ? 1 : shapes[d][0]);
            if (d > 0) {
                out[d] = DeviceCopies.to(runtime, out[d], d);
            }
        }
        return out;
    }
}
