package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.kernel.RecurrentKernels.Gates;
import dev.headroom.executor.kernel.RecurrentKernels.StateGradients;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * One step of a recurrent network: two products, then one kernel for everything else (aten/src/ATen/native/RNN.cpp,
 * GRUCell and LSTMCell; cuda/RNN.cu).
 */
final class FusedCells {
    /** What the kernel of a GRU keeps of each unit (RNN.cu, GRU_WORKSPACE_MULTIPLIER). */
    private static final int GRU_KEPT = 5;

    private FusedCells() {}

    /** The parameters of a cell; biases may be {@code null}. */
    record Weights(
            Tensor ofInput,
            Tensor ofState,
            @Nullable Tensor inputBias,
            @Nullable Tensor stateBias) {}

    /** {@code gru_cell}. */
    static Tensor gru(Eager e, Tensor x, Tensor hx, Weights w) {
        return e.call(() -> {
            Tensor inputGates = Matmul.matmul(e, x, Views.t(e, w.ofInput()));
            Tensor hiddenGates = Matmul.matmul(e, hx, Views.t(e, w.ofState()));
            return fusedGru(e, inputGates, hiddenGates, hx, w);
        });
    }

    /** _thnn_fused_gru_cell. */
    private static Tensor fusedGru(Eager e, Tensor inputGates, Tensor hiddenGates, Tensor hx, Weights w) {
        Recorder r = e.record("ThnnFusedGruCellBackward0", inputGates, hiddenGates, hx, w.inputBias(), w.stateBias());
        r.save(w.stateBias());
        r.save(hiddenGates);
        r.save(hx);
        r.save(w.inputBias());
        r.save(inputGates);
        Tensor kept = e.empty(hx.dtype(), hx.size(0), GRU_KEPT * hx.size(1));
        Tensor hy = e.empty(hx.dtype(), hx.sizes());
        Gates gates = new Gates(inputGates, hiddenGates, w.inputBias(), w.stateBias());
        e.backend().recurrent().gruCell(gates, hx, hy, kept);
        SavedTensor savedKept = r.saveOutput(kept);
        boolean biased = w.inputBias() != null;
        long width = inputGates.size(1);
        return r.backward(g -> {
                    Tensor workspace = savedKept.get();
                    Tensor dInput = e.empty(g[0].dtype(), g[0].size(0), width);
                    Tensor dHidden = e.empty(g[0].dtype(), g[0].size(0), width);
                    Tensor dhx = e.empty(g[0].dtype(), g[0].sizes());
                    e.backend().recurrent().gruCellBackward(workspace, g[0], dInput, dHidden, dhx);
                    Tensor dInputBias = biased ? rowSum(e, dInput) : null;
                    Tensor dHiddenBias = biased ? rowSum(e, dHidden) : null;
                    return new Tensor[] {dInput, dHidden, dhx, dInputBias, dHiddenBias};
                })
                .output(hy);
    }

    /** {@code lstm_cell}: the new state and the new cell. */
    static Tensor[] lstm(Eager e, Tensor x, Tensor hx, Tensor cx, Weights w) {
        Tensor[] out = new Tensor[2];
        out[0] = e.call(() -> {
            Tensor inputGates = Matmul.matmul(e, x, Views.t(e, w.ofInput()));
            Tensor hiddenGates = Matmul.matmul(e, hx, Views.t(e, w.ofState()));
            Tensor[] made = fusedLstm(e, inputGates, hiddenGates, cx, w);
            out[1] = e.hold(made[1]);
            return made[0];
        });
        e.adopt(out[1]);
        return out;
    }

    /** _thnn_fused_lstm_cell. */
    private static Tensor[] fusedLstm(Eager e, Tensor inputGates, Tensor hiddenGates, Tensor cx, Weights w) {
        Recorder r = e.record("ThnnFusedLstmCellBackward0", inputGates, hiddenGates, cx, w.inputBias(), w.stateBias());
        SavedTensor savedBefore = r.save(cx);
        r.save(w.stateBias());
        r.save(hiddenGates);
        r.save(w.inputBias());
        r.save(inputGates);
        Tensor kept = e.empty(inputGates.dtype(), inputGates.sizes());
        Tensor hy = e.empty(cx.dtype(), cx.sizes());
        Tensor cy = e.empty(cx.dtype(), cx.sizes());
        Gates sums = new Gates(inputGates, hiddenGates, w.inputBias(), w.stateBias());
        e.backend().recurrent().lstmCell(sums, cx, new States(hy, cy), kept);
        SavedTensor savedAfter = r.saveOutput(cy);
        SavedTensor savedKept = r.saveOutput(kept);
        boolean biased = w.inputBias() != null;
        r.backward(g -> {
                    Tensor gates = savedKept.get();
                    Tensor before = savedBefore.get();
                    Tensor after = savedAfter.get();
                    Tensor dGates = e.empty(gates.dtype(), gates.sizes());
                    Tensor dcx = e.empty(before.dtype(), before.sizes());
                    e.backend()
                            .recurrent()
                            .lstmCellBackward(gates, before, after, new StateGradients(g[0], g[1]), dGates, dcx);
                    Tensor dBias = biased ? rowSum(e, dGates) : null;
                    return new Tensor[] {dGates, dGates, dcx, dBias, dBias};
                })
                .output(hy);
        return new Tensor[] {hy, r.output(cy)};
    }

    private static Tensor rowSum(Eager e, Tensor t) {
        return e.call(() -> {
            Tensor sum = Reductions.sum(e, t, new long[] {1, t.size(1)}, t.dtype());
            return e.alias(sum, new long[] {t.size(1)}, new long[] {1}, sum.offset());
        });
    }
}
