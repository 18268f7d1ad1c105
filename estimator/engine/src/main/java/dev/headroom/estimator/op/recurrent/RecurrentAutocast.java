package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Recurrent layers under autocast (ATen/native/cudnn/RNN.cpp, _cudnn_rnn_cast_reflatten): the weights are copied into a
 * buffer at every call, then the states and the input are cast, from the last argument to the first. The type is
 * float16, whichever autocast has.
 */
final class RecurrentAutocast {
    /** The layers over tensors in float16. */
    interface Layers {
        Tensor[] run(Tensor x, Tensor hx, @Nullable Tensor cx, Tensor[] weights, Tensor buffer);
    }

    private RecurrentAutocast() {}

    /** @param elements of the buffer */
    static Tensor[] run(
            EagerRuntime rt, Tensor x, Tensor hx, @Nullable Tensor cx, Tensor[] weights, long elements, Layers layers) {
        DType lower = DType.FLOAT16;
        Frame inner = rt.frame();
        boolean before = rt.autocast().exclude(true);
        try {
            Tensor buffer = rt.empty(lower, elements);
            Tensor[] parts = new Tensor[weights.length];
            long at = 0;
            for (int i = 0; i < parts.length; i++) {
                parts[i] = copy(rt, buffer, weights[i], at);
                at += weights[i].numel();
            }
            Tensor cell = cx == null ? null : Copies.to(rt, cx, lower);
            Tensor hidden = Copies.to(rt, hx, lower);
            Tensor input = Copies.to(rt, x, lower);
            Tensor[] made = layers.run(input, hidden, cell, parts, buffer);
            for (Tensor t : made) {
                inner.keep(t);
            }
            return made;
        } finally {
            rt.autocast().exclude(before);
            inner.close();
        }
    }

    private static Tensor copy(EagerRuntime rt, Tensor buffer, Tensor weight, long at) {
        Recorder r = rt.record("CopyBackwards", weight);
        Tensor part = rt.reinterpret(buffer, weight.sizes(), Shapes.contiguous(weight.sizes()), at);
        DType type = weight.dtype();
        return r.gradient(0, g -> Copies.to(rt, g, type)).output(part);
    }
}
