package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;

/** Single steps of recurrent networks (ATen/native/RNN.cpp, ATen/native/cuda/RNN.cu). */
final class RecurrentCells {
    private static final int GRU_WORKSPACE = 5;

    private RecurrentCells() {}

    /** Products with the hidden state, then with the input, added in place. */
    static Tensor plain(Call c, String node) {
        EagerRuntime rt = c.runtime();
        Tensor hidden = Matmul.linear(rt, c.tensor("hx"), c.tensor("w_hh"), c.tensorOrNull("b_hh"));
        Tensor input = Matmul.linear(rt, c.tensor("input"), c.tensor("w_ih"), c.tensorOrNull("b_ih"));
        Pointwise.addInPlace(rt, input, hidden, false);
        Tensor out = Unary.apply(rt, node, input, Unary.Keep.RESULT, Unary.FUSED, false);
        rt.free(input);
        rt.free(hidden);
        return out;
    }

    private static Tensor gates(EagerRuntime rt, Tensor x, Tensor w) {
        Tensor turned = Views.t(rt, w);
        Tensor out = Matmul.matmul(rt, x, turned);
        rt.free(turned);
        return out;
    }

    /** {@code _thnn_fused_gru_cell}: since 1.4 all that goes in is kept, though only the workspace is read again. */
    static Tensor gru(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor hx = c.tensor("hx");
        Tensor inputBias = c.tensorOrNull("b_ih");
        Tensor hiddenBias = c.tensorOrNull("b_hh");
        Tensor input = gates(rt, c.tensor("input"), c.tensor("w_ih"));
        Tensor hidden = gates(rt, hx, c.tensor("w_hh"));
        Recorder r = rt.record("ThnnFusedGruCellBackward0", input, hidden, hx, inputBias, hiddenBias);
        boolean gates = rt.options().torch().cellsKeepGates();
        if (gates) {
            r.save(hiddenBias);
            r.save(hidden);
            r.save(hx);
            r.save(inputBias);
            r.save(input);
        } else {
            r.save(inputBias);
        }
        long width = hx.size(1);
        Tensor workspace = rt.empty(hx.dtype(), hx.size(0), GRU_WORKSPACE * width);
        Tensor out = rt.emptyLike(hx);
        r.saveOutput(workspace);
        long[] gateSizes = {hx.size(0), 3 * width};
        r.gradients(grads -> {
                    Tensor g = grads[0];
                    Tensor gi = rt.empty(g.dtype(), gateSizes);
                    Tensor gh = rt.empty(g.dtype(), gateSizes);
                    Tensor gx = rt.emptyLike(g);
                    Tensor bi = inputBias == null ? null : rowSum(rt, gi);
                    Tensor bh = inputBias == null ? null : rowSum(rt, gh);
                    return new Tensor[] {gi, gh, gx, bi, bh};
                })
                .output(out);
        rt.free(workspace);
        rt.free(hidden);
        rt.free(input);
        return out;
    }

    private static Tensor rowSum(EagerRuntime rt, Tensor t) {
        return Reductions.reduce(
                rt, t, new boolean[] {true, false}, false, t.dtype(), Reductions.accumulator(t.dtype()));
    }

    /** {@code _thnn_fused_lstm_cell}: new hidden and cell state; both biases get the same gradient. */
    static Tensor[] lstm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor[] state = c.tensors("hx");
        Tensor cell = state[1];
        Tensor inputBias = c.tensorOrNull("b_ih");
        Tensor hiddenBias = c.tensorOrNull("b_hh");
        Tensor input = gates(rt, c.tensor("input"), c.tensor("w_ih"));
        Tensor hidden = gates(rt, state[0], c.tensor("w_hh"));
        Recorder r = rt.record("ThnnFusedLstmCellBackward0", input, hidden, cell, inputBias, hiddenBias);
        Saved old = r.save(cell);
        r.save(inputBias);
        if (rt.options().torch().cellsKeepGates()) {
            r.save(hiddenBias);
            r.save(hidden);
            r.save(input);
        }
        Tensor workspace = rt.emptyLike(input);
        Tensor newHidden = rt.emptyLike(cell);
        Tensor newCell = rt.emptyLike(cell);
        r.saveOutput(newCell);
        Saved kept = r.saveOutput(workspace);
        r.gradients(grads -> {
                    Tensor gates = rt.emptyLike(kept.get());
                    Tensor gc = rt.emptyLike(old.get());
                    Tensor bias = inputBias == null ? null : rowSum(rt, gates);
                    return new Tensor[] {gates, gates, gc, bias, bias};
                })
                .output(newHidden);
        r.output(newCell);
        rt.free(workspace);
        rt.free(hidden);
        rt.free(input);
        return new Tensor[] {newHidden, newCell};
    }
}
