package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Recurrent layers under autocast: a buffer takes copies of the weights at every call, then cells, states and input are
 * cast, the last argument first; all in float16, whichever type autocast lowers to
 * (aten/src/ATen/native/cudnn/RNN.cpp, _cudnn_rnn_cast_reflatten).
 */
final class LoweredRnn {
    private LoweredRnn() {}

    /** As {@link CudnnRnn#run}. */
    static Tensor[] run(CudnnRnn rnn, Tensor input, Tensor[] weights, Tensor hx, Tensor cx) {
        Eager e = rnn.e();
        e.autocast().enter(null);
        try {
            Tensor buffer = e.empty(DType.FLOAT16, rnn.layers().weights());
            Elementwise.fill(e, buffer, 0);
            Tensor[] copies = new Tensor[weights.length];
            for (int i = 0; i < weights.length; i++) {
                copies[i] = copied(e, weights[i], buffer, rnn.layers().parameter(i, rnn.hasBiases()));
            }
            Tensor cell = cx == null ? null : Copies.to(e, cx, DType.FLOAT16);
            Tensor state = Copies.to(e, hx, DType.FLOAT16);
            return rnn.run(Copies.to(e, input, DType.FLOAT16), copies, state, cell);
        } finally {
            e.autocast().exit();
        }
    }

    /** A part of the buffer that holds a weight, to which its gradient goes back. */
    private static Tensor copied(Eager e, Tensor weight, Tensor buffer, long at) {
        Recorder r = e.record("CopyBackwards", weight);
        Tensor part = e.alias(buffer, weight.sizes(), Layout.contiguous(weight.sizes()), at);
        Copies.fill(e, part, weight);
        r.backward(g -> new Tensor[] {Copies.to(e, g[0], weight.dtype())});
        return r.output(part);
    }
}
