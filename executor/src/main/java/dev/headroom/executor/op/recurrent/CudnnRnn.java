package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.RecurrentCall;
import dev.headroom.executor.kernel.RecurrentCall.Pass;
import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.kernel.RecurrentDropout;
import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A call of recurrent layers as cuDNN runs them (aten/src/ATen/native/cudnn/RNN.cpp, _cudnn_rnn and
 * _cudnn_rnn_backward).
 *
 * @param train whether what the backward pass needs is kept, also when autograd records nothing
 * @param dropout what is dropped between layers; {@code null}: nothing
 */
record CudnnRnn(
        Eager e,
        RecurrentLayers layers,
        boolean batchFirst,
        boolean train,
        boolean hasBiases,
        @Nullable RecurrentDropout dropout) {
    /** What the backward pass needs. */
    private record Saved(
            SavedTensor cx, SavedTensor hx, SavedTensor x, SavedTensor y, SavedTensor reserve, SavedTensor buffer) {}

    /**
     * Runs them.
     *
     * @param input (steps, batch, input), or (batch, steps, input)
     * @param weights in the module's order
     * @param cx {@code null} unless the cells are LSTMs
     * @return the output, the last states and, of LSTMs, the last cells
     */
    Tensor[] run(Tensor input, Tensor[] weights, Tensor hx, @Nullable Tensor cx) {
        requireContiguous(hx);
        requireContiguous(cx);
        Tensor[] out = new Tensor[cx == null ? 2 : 3];
        try (Scope s = e.open()) {
            Recorder r = e.record("CudnnRnnBackward0", inputs(input, weights, hx, cx));
            SavedTensor savedCell = r.save(cx);
            SavedTensor savedState = r.save(hx);
            SavedTensor savedInput = r.save(input);
            for (Tensor weight : weights) {
                r.save(weight);
            }
            Tensor[] kept = forward(out, input, weights, hx, cx);
            Saved saved = new Saved(
                    savedCell,
                    savedState,
                    savedInput,
                    r.saveOutput(out[0]),
                    r.saveOutput(kept[0]),
                    r.saveOutput(kept[1]));
            r.backward(g -> gradients(r, weights.length, saved, g));
            for (Tensor t : out) {
                s.pass(r.output(t));
            }
        }
        return out;
    }

    private static void requireContiguous(@Nullable Tensor t) {
        if (t != null && !t.isContiguous()) {
            throw new UserInputException("recurrent layers: an initial state is not contiguous, which PyTorch refuses");
        }
    }

    private static @Nullable Tensor[] inputs(Tensor input, @Nullable Tensor[] weights, Tensor hx, @Nullable Tensor cx) {
        @Nullable Tensor[] all = new Tensor[weights.length + 3];
        all[0] = input;
        System.arraycopy(weights, 0, all, 1, weights.length);
        all[weights.length + 1] = hx;
        all[weights.length + 2] = cx;
        return all;
    }

    /** Makes the results; returns the reserve and the weights' buffer. */
    private @Nullable Tensor[] forward(Tensor[] out, Tensor input, Tensor[] weights, Tensor hx, @Nullable Tensor cx) {
        try (Scope s = e.open()) {
            Problem problem = problem(input, train ? Pass.TRAINING : Pass.INFERENCE);
            Tensor x = Copies.packed(e, stepsFirst(input));
            out[0] = sequence(input, layers.directions() * layers.output());
            out[1] = e.empty(hx.dtype(), hx.sizes());
            if (cx != null) {
                out[2] = e.empty(cx.dtype(), cx.sizes());
            }
            Tensor flat = flattened(weights);
            Tensor buffer = flat == null ? collected(weights) : flat;
            Tensor workspace = e.workspace(workspaceBytes(problem));
            Tensor reserve = train ? e.workspace(e.backend().recurrent().reserveBytes(problem)) : null;
            Tensor y = stepsFirst(out[0]);
            RecurrentCall call =
                    new RecurrentCall(problem, x, new States(hx, cx), buffer, y, workspace, reserve, dropout);
            e.backend().recurrent().forward(call, new States(out[1], cx == null ? null : out[2]));
            for (Tensor t : out) {
                s.pass(t);
            }
            return new Tensor[] {s.pass(reserve), s.pass(buffer)};
        }
    }

    private long workspaceBytes(Problem problem) {
        return e.backend().recurrent().workspaceBytes(problem);
    }

    private Problem problem(Tensor input, Pass pass) {
        long steps = input.size(batchFirst ? 1 : 0);
        long batch = input.size(batchFirst ? 0 : 1);
        double rate = dropout == null ? 0 : dropout.rate();
        return new Problem(layers, input.dtype(), steps, batch, pass, rate);
    }

    /** A sequence as kernels see it: (steps, batch, …). */
    private Tensor stepsFirst(Tensor t) {
        return batchFirst
                ? e.alias(
                        t,
                        new long[] {t.size(1), t.size(0), t.size(2)},
                        new long[] {t.stride(1), t.stride(0), t.stride(2)},
                        t.offset())
                : t;
    }

    /** A fresh sequence whose steps lie one after the other in memory, whatever the order of its dimensions. */
    private Tensor sequence(Tensor like, long width) {
        long[] sizes = {like.size(0), like.size(1), width};
        long[] strides = batchFirst ? new long[] {width, like.size(0) * width, 1} : Layout.contiguous(sizes);
        return e.emptyStrided(like.dtype(), sizes, strides);
    }

    /** try_get_weight_buf: the one buffer that a module's weights are parts of, or {@code null}. */
    private @Nullable Tensor flattened(Tensor[] weights) {
        Tensor first = weights[0];
        boolean whole =
                first.storage().bytes() >= layers.weights() * first.dtype().bytes();
        boolean inPlace = IntStream.range(0, weights.length)
                .allMatch(i -> weights[i].storage() == first.storage()
                        && weights[i].isContiguous()
                        && weights[i].offset() == layers.parameter(i, hasBiases));
        return whole && inPlace ? e.alias(first, new long[] {layers.weights()}, new long[] {1}, 0) : null;
    }

    /** Weights that are scattered over memory are brought together at every call. */
    private Tensor collected(Tensor[] weights) {
        Tensor buffer = e.empty(weights[0].dtype(), layers.weights());
        Elementwise.fill(e, buffer, 0);
        try (Scope s = e.open()) {
            for (int i = 0; i < weights.length; i++) {
                Copies.fill(e, part(buffer, i, weights[i].sizes()), weights[i]);
            }
        }
        return buffer;
    }

    private Tensor part(Tensor buffer, int parameter, long[] sizes) {
        return e.alias(buffer, sizes, Layout.contiguous(sizes), layers.parameter(parameter, hasBiases));
    }

    private long[] sizes(int parameter) {
        return layers.sizes(parameter, hasBiases);
    }

    private @Nullable Tensor[] gradients(Recorder r, int weights, Saved saved, @Nullable Tensor[] g) {
        if (!train) {
            throw new UserInputException("recurrent layers: cuDNN has a backward pass in training mode only");
        }
        @Nullable Tensor[] all;
        try (Scope s = e.open()) {
            Tensor hx = saved.hx().get();
            Tensor cx = saved.cx().getOrNull();
            Tensor dy = g[0] == null ? zeros(saved.y().get()) : g[0];
            Tensor dhy = g[1] == null ? zeros(hx) : g[1];
            Tensor dcy = cx == null ? null : g[2] == null ? zeros(cx) : g[2];
            // Always computed: it prepares the reserve for the weights' gradients.
            Tensor[] data = dataGradients(saved, dy, dhy, dcy);
            all = inputs(data[0], new Tensor[weights], data[1], data[2]);
            if (IntStream.rangeClosed(1, weights).anyMatch(r::needs)) {
                System.arraycopy(weightGradients(saved, weights), 0, all, 1, weights);
            }
            // The last one goes first, and of the states' gradients that nobody wants the cells' goes last.
            for (int i = all.length - 1; i >= 0; i--) {
                s.pass(all[i]);
            }
        }
        return all;
    }

    private Tensor zeros(Tensor like) {
        Tensor t = e.empty(like.dtype(), like.sizes());
        Elementwise.fill(e, t, 0);
        return t;
    }

    /** _cudnn_rnn_backward_input. */
    private Tensor[] dataGradients(Saved saved, Tensor gradient, Tensor dhy, @Nullable Tensor dcy) {
        Tensor input = saved.x().get();
        Tensor hx = saved.hx().get();
        Tensor cx = saved.cx().getOrNull();
        try (Scope s = e.open()) {
            Problem problem = problem(input, Pass.BACKWARD);
            Tensor x = Copies.packed(e, stepsFirst(input));
            Tensor dy = Copies.packed(e, stepsFirst(gradient));
            Tensor dx = sequence(input, layers.input());
            Tensor dh = Copies.packed(e, dhy);
            Tensor dc = dcy == null ? null : Copies.packed(e, dcy);
            Tensor dhx = e.empty(hx.dtype(), hx.sizes());
            Tensor dcx = cx == null ? null : e.empty(cx.dtype(), cx.sizes());
            Tensor workspace = e.workspace(workspaceBytes(problem));
            Tensor into = stepsFirst(dx);
            Tensor y = stepsFirst(saved.y().get());
            Tensor buffer = saved.buffer().get();
            Tensor reserve = saved.reserve().get();
            RecurrentCall call =
                    new RecurrentCall(problem, x, new States(hx, cx), buffer, y, workspace, reserve, dropout);
            e.backend().recurrent().dataGradient(call, dy, new States(dh, dc), into, new States(dhx, dcx));
            return new Tensor[] {s.pass(dx), s.pass(dhx), s.pass(dcx)};
        }
    }

    /** _cudnn_rnn_backward_weight: parts of one buffer, or copies of them if the module has no biases. */
    private Tensor[] weightGradients(Saved saved, int count) {
        Tensor input = saved.x().get();
        try (Scope s = e.open()) {
            Problem problem = problem(input, Pass.BACKWARD);
            Tensor x = Copies.packed(e, stepsFirst(input));
            Tensor buffer = e.empty(input.dtype(), layers.weights());
            Elementwise.fill(e, buffer, 0);
            Tensor workspace = e.workspace(workspaceBytes(problem));
            Tensor hx = saved.hx().get();
            Tensor y = stepsFirst(saved.y().get());
            Tensor reserve = saved.reserve().get();
            Tensor weights = saved.buffer().get();
            RecurrentCall call =
                    new RecurrentCall(problem, x, new States(hx, null), weights, y, workspace, reserve, dropout);
            e.backend().recurrent().weightGradient(call, buffer);
            Tensor[] out = new Tensor[count];
            for (int i = 0; i < count; i++) {
                out[i] = hasBiases ? part(buffer, i, sizes(i)) : e.empty(input.dtype(), sizes(i));
            }
            for (int i = 0; i < count; i++) {
                if (!hasBiases) {
                    Copies.fill(e, out[i], part(buffer, i, sizes(i)));
                }
                s.pass(out[i]);
            }
            return out;
        }
    }
}
