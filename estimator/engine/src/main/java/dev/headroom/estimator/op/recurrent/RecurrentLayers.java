package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Recurrent layers through cuDNN (ATen/native/cudnn/RNN.cpp). The workspace is the products of a layer's input with
 * its weights, and what is handed over between layers; the reserve, of training, the activated gates and the states.
 * Those are the sizes of the recorder's stub library; the real one's depend on its version and algorithm.
 */
final class RecurrentLayers {
    /** Sizes of a call: steps and sequences, units, directions, layers, gates. */
    private record Plan(long steps, long batch, long hidden, long directions, long layers, int gates) {
        long workspace() {
            return steps * batch * hidden * directions * (gates + (layers > 1 ? 2 : 0));
        }

        long reserve() {
            return steps * batch * hidden * directions * layers * (gates + (gates > 1 ? 2 : 1));
        }
    }

    private RecurrentLayers() {}

    static Tensor[] run(Call c, int gates) {
        if (c.number("dropout", 0) != 0 && c.flag("train", false)) {
            throw new NoRule("dropout between layers, whose state cuDNN sizes");
        }
        EagerRuntime rt = c.runtime();
        boolean batchFirst = c.flag("batch_first", false);
        Tensor given = c.tensor("input");
        Tensor x = batchFirst ? Views.transpose(rt, given, 0, 1) : given;
        Tensor hx = gates == 4 ? c.tensors("hx")[0] : c.tensor("hx");
        Tensor cx = gates == 4 ? c.tensors("hx")[1] : null;
        Tensor[] weights = c.tensors("params");
        Plan plan = new Plan(
                x.size(0),
                x.size(1),
                hx.size(2),
                c.flag("bidirectional", false) ? 2 : 1,
                c.integer("num_layers", 1),
                gates);
        Tensor[] made = layers(rt, x, hx, cx, weights, plan, c.flag("has_biases", true), c.flag("train", false));
        if (batchFirst) {
            Tensor turned = Views.transpose(rt, made[0], 0, 1);
            rt.free(made[0]);
            made[0] = turned;
        }
        return made;
    }

    private static Tensor[] layers(
            EagerRuntime rt,
            Tensor x,
            Tensor hx,
            @Nullable Tensor cx,
            Tensor[] weights,
            Plan p,
            boolean biases,
            boolean train) {
        Tensor[] inputs = new Tensor[weights.length + 3];
        inputs[0] = x;
        System.arraycopy(weights, 0, inputs, 1, weights.length);
        inputs[weights.length + 1] = hx;
        inputs[weights.length + 2] = cx;
        Recorder r = rt.record("CudnnRnnBackward0", inputs);
        Saved cell = r.save(cx);
        Saved hidden = r.save(hx);
        Saved input = r.save(x);
        Tensor dense = Copies.contiguous(rt, x);
        Tensor out = rt.empty(x.dtype(), p.steps, p.batch, p.hidden * p.directions);
        Tensor hy = rt.empty(x.dtype(), hx.sizes());
        Tensor cy = cx == null ? null : rt.empty(x.dtype(), cx.sizes());
        Tensor workspace = rt.empty(x.dtype(), p.workspace());
        Tensor reserve = train ? rt.empty(x.dtype(), p.reserve()) : null;
        rt.free(workspace);
        rt.freeUnless(dense, x);
        Saved result = r.saveOutput(out);
        r.saveOutput(reserve);
        r.gradients(grads -> backward(
                        rt, r, grads, input.get(), hidden.get(), cell.getOrNull(), result.get(), weights, p, biases))
                .output(out);
        r.output(hy);
        if (cy != null) {
            r.output(cy);
        }
        rt.free(reserve);
        return cy == null ? new Tensor[] {out, hy} : new Tensor[] {out, hy, cy};
    }

    private static Tensor[] backward(
            EagerRuntime rt,
            Recorder r,
            Tensor[] grads,
            Tensor x,
            Tensor hx,
            @Nullable Tensor cx,
            Tensor result,
            Tensor[] weights,
            Plan p,
            boolean biases) {
        Tensor[] out = new Tensor[weights.length + 3];
        Tensor zeroOut = grads[0] == null ? rt.emptyLike(result) : null;
        Tensor zeroHidden = grads[1] == null ? rt.emptyLike(hx) : null;
        Tensor zeroCell = cx != null && grads[2] == null ? rt.emptyLike(cx) : null;
        Tensor dense = Copies.contiguous(rt, x);
        Tensor gradient = grads[0] == null ? null : Copies.contiguous(rt, grads[0]);
        out[0] = rt.empty(x.dtype(), x.sizes());
        out[weights.length + 1] = rt.empty(x.dtype(), hx.sizes());
        out[weights.length + 2] = cx == null ? null : rt.empty(x.dtype(), cx.sizes());
        rt.free(rt.empty(x.dtype(), p.workspace()));
        if (gradient != grads[0]) {
            rt.free(gradient);
        }
        rt.freeUnless(dense, x);
        weightGradients(rt, x, weights, p, biases, out);
        rt.free(zeroCell);
        rt.free(zeroHidden);
        rt.free(zeroOut);
        for (int i = 0; i < out.length; i++) {
            if (out[i] != null && !r.needs(i)) {
                rt.free(out[i]);
                out[i] = null;
            }
        }
        return out;
    }

    /** One buffer for all, of which the gradients are parts; without biases they are copies of parts. */
    private static void weightGradients(
            EagerRuntime rt, Tensor x, Tensor[] weights, Plan p, boolean biases, Tensor[] out) {
        Tensor dense = Copies.contiguous(rt, x);
        Tensor buffer = rt.empty(x.dtype(), bufferSize(weights, p.layers * p.directions, p.gates * p.hidden, biases));
        Tensor workspace = rt.empty(x.dtype(), p.workspace());
        long at = 0;
        for (int i = 0; i < weights.length; i++) {
            long[] sizes = weights[i].sizes();
            out[i + 1] =
                    biases ? rt.reinterpret(buffer, sizes, Shapes.contiguous(sizes), at) : rt.empty(x.dtype(), sizes);
            at += weights[i].numel();
        }
        rt.free(workspace);
        rt.freeUnless(dense, x);
        rt.free(buffer);
    }

    /** Elements of all weights; cuDNN has room for two biases, used or not. */
    private static long bufferSize(Tensor[] weights, long sets, long gates, boolean biases) {
        long n = biases ? 0 : sets * 2 * gates;
        for (Tensor w : weights) {
            n += w.numel();
        }
        return n;
    }
}
