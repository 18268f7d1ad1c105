package dev.headroom.executor.op.library;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.composite.Calls;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * The states of Mamba, a token after the other in a loop of Python (transformers, models/mamba/modeling_mamba.py,
 * mamba_selective_scan): what stands for all tokens and states at once lives in the function's variables.
 */
final class SelectiveScan {
    private final Calls c;
    private final Eager e;
    private final Arguments a;

    private SelectiveScan(Calls c, Arguments a) {
        this.c = c;
        this.e = c.e();
        this.a = a;
    }

    static Tensor run(Calls c, Arguments a) {
        return new SelectiveScan(c, a).scanned();
    }

    private Tensor scanned() {
        Tensor x = a.tensor("hidden_states");
        DType type = x.dtype();
        Tensor dt = steps();
        Tensor inputs = Views.transpose(e, a.tensor("B"), 1, 2);
        Tensor readings = Views.transpose(e, a.tensor("C"), 1, 2);
        Tensor decays = e.call(() -> decays(dt));
        Tensor weights = e.call(() -> times(Views.unsqueeze(e, dt, 3), floats(Views.unsqueeze(e, inputs, 1))));
        Tensor added = e.call(() -> times(weights, floats(Views.unsqueeze(e, x, 3))));
        Tensor state = e.empty(type, x.size(0), x.size(1), a.tensor("A").size(1));
        Elementwise.fill(e, state, 0);
        Tensor[] outputs = new Tensor[(int) x.size(2)];
        for (int i = 0; i < outputs.length; i++) {
            int token = i;
            Tensor before = state;
            state = e.call(
                    () -> plus(times(Slices.select(e, decays, 2, token), before), Slices.select(e, added, 2, token)));
            e.free(before);
            Tensor now = state;
            Tensor seen = e.call(() -> c.call(
                    "matmul",
                    "self",
                    Copies.to(e, now, type),
                    "other",
                    Views.unsqueeze(e, Slices.select(e, readings, 1, token), -1)));
            outputs[i] = Slices.select(e, seen, 2, 0);
            e.free(seen);
        }
        Tensor all = c.call("stack", "tensors", outputs, "dim", -1);
        Tensor out = e.call(() -> plus(all, times(x, Views.unsqueeze(e, Views.unsqueeze(e, a.tensor("D"), 0), 2))));
        e.free(all);
        Tensor gated = e.call(() -> times(out, c.call("silu", "self", a.tensor("z"))));
        for (Tensor variable : new Tensor[] {out, dt, inputs, readings, decays, weights, added, state}) {
            e.free(variable);
        }
        for (int i = outputs.length - 1; i >= 0; i--) { // as Python lets go of a list
            e.free(outputs[i]);
        }
        return gated;
    }

    /** {@code dt = F.softplus(dt + delta_bias[..., None])}. */
    private Tensor steps() {
        Tensor dt = a.tensor("dt");
        Tensor shifted =
                e.call(() -> plus(dt, Views.unsqueeze(e, Copies.to(e, a.tensor("delta_bias"), dt.dtype()), -1)));
        Tensor out = c.call("softplus", "self", shifted);
        e.free(shifted);
        return out;
    }

    /** {@code torch.exp(A[None, :, None, :] * dt[:, :, :, None])}. */
    private Tensor decays(Tensor dt) {
        Tensor rates = Views.unsqueeze(e, Views.unsqueeze(e, a.tensor("A"), 0), 2);
        return c.call("exp", "self", times(rates, Views.unsqueeze(e, dt, 3)));
    }

    private Tensor times(Tensor x, Tensor y) {
        return c.call("mul", "self", x, "other", y);
    }

    private Tensor plus(Tensor x, Tensor y) {
        return c.call("add", "self", x, "other", y);
    }

    private Tensor floats(Tensor t) {
        return Copies.to(e, t, DType.FLOAT32);
    }
}
