package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.RecurrentProblem;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Recurrent layers through cuDNN (ATen/native/cudnn/RNN.cpp): a workspace for each pass and, in training, the reserve
 * that the forward pass leaves for the backward pass. {@link RecurrentPlan} knows how large they are.
 */
final class RecurrentLayers {
    private RecurrentLayers() {}

    static Tensor[] run(Call c, int gates) {
        EagerRuntime rt = c.runtime();
        boolean batchFirst = c.flag("batch_first", false);
        Tensor given = c.tensor("input");
        Tensor x = batchFirst ? Views.transpose(rt, given, 0, 1) : given;
        Tensor hx = gates == 4 ? c.tensors("hx")[0] : c.tensor("hx");
        Tensor cx = gates == 4 ? c.tensors("hx")[1] : null;
        boolean train = c.flag("train", false);
        if (train && c.number("dropout", 0) != 0) {
            rt.workspaces().useDropoutStates();
        }
        RecurrentProblem problem = new RecurrentProblem(
                gates,
                rt.autocast().active() ? DType.FLOAT16 : x.dtype(),
                x.size(0),
                x.size(1),
                x.size(2),
                (cx == null ? hx : cx).size(2),
                hx.size(2),
                Math.toIntExact(c.integer("num_layers", 1)),
                c.flag("bidirectional", false),
                train && c.number("dropout", 0) != 0);
        RecurrentPlan plan = RecurrentPlan.of(rt, problem, train);
        Tensor[] weights = c.tensors("params");
        boolean biases = c.flag("has_biases", true);
        Tensor[] made = rt.autocast().active()
                ? RecurrentAutocast.run(
                        rt,
                        x,
                        hx,
                        cx,
                        weights,
                        bufferSize(weights, plan, biases),
                        (i, h, s, w, buffer) -> layers(rt, i, h, s, w, buffer, plan, biases, train))
                : layers(rt, x, hx, cx, weights, null, plan, biases, train);
        if (batchFirst) {
            Tensor turned = Views.transpose(rt, made[0], 0, 1);
            rt.free(made[0]);
            made[0] = turned;
        }
        return made;
    }

    /** @param flat the weights in one buffer, or {@code null}: the modules' own, or one that is made here */
    private static Tensor[] layers(
            EagerRuntime rt,
            Tensor x,
            Tensor hx,
            @Nullable Tensor cx,
            Tensor[] weights,
            @Nullable Tensor flat,
            RecurrentPlan p,
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
        Tensor out = rt.empty(x.dtype(), p.outputSizes());
        Tensor hy = rt.empty(x.dtype(), hx.sizes());
        Tensor cy = cx == null ? null : rt.empty(x.dtype(), cx.sizes());
        boolean scattered = flat == null && !isFlattened(weights[0].dtype());
        Tensor buffer = scattered ? rt.empty(x.dtype(), bufferSize(weights, p, biases)) : flat;
        Tensor workspace = rt.scratch(p.forward().workspace());
        Tensor reserve = train ? rt.scratch(p.forward().reserve()) : null;
        rt.free(workspace);
        rt.freeUnless(dense, x);
        Saved result = r.saveOutput(out);
        r.saveOutput(reserve);
        if (buffer != null) {
            r.saveOutput(buffer);
        }
        r.gradients(grads -> backward(
                        rt, r, grads, input.get(), hidden.get(), cell.getOrNull(), result.get(), weights, p, biases))
                .output(out);
        r.output(hy);
        if (cy != null) {
            r.output(cy);
        }
        rt.free(reserve);
        if (scattered) {
            rt.free(buffer);
        }
        return cy == null ? new Tensor[] {out, hy} : new Tensor[] {out, hy, cy};
    }

    /**
     * Whether modules keep weights of a type in one buffer: bfloat16 is none of the types that they take for cuDNN's
     * (torch/backends/cudnn/__init__.py, CUDNN_TENSOR_DTYPES), though cuDNN computes in it.
     */
    static boolean isFlattened(DType type) {
        return type == DType.FLOAT16 || type == DType.FLOAT32 || type == DType.FLOAT64;
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
            RecurrentPlan p,
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
        rt.free(rt.scratch(p.backward().workspace()));
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
            EagerRuntime rt, Tensor x, Tensor[] weights, RecurrentPlan p, boolean biases, Tensor[] out) {
        Tensor dense = Copies.contiguous(rt, x);
        Tensor buffer = rt.empty(x.dtype(), bufferSize(weights, p, biases));
        Tensor workspace = rt.scratch(p.backward().workspace());
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
    private static long bufferSize(Tensor[] weights, RecurrentPlan p, boolean biases) {
        long n = biases ? 0 : p.biases();
        for (Tensor w : weights) {
            n += w.numel();
        }
        return n;
    }
}
