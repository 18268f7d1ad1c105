package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * The states of Mamba, a token after the other in a loop of Python (transformers, models/mamba/modeling_mamba.py,
 * mamba_selective_scan): what stands for all tokens and states at once lives in the function's variables.
 */
final class SelectiveScan {
    private final Call c;
    private final EagerRuntime rt;
    private final Body b;

    private SelectiveScan(Call c, Registry rules) {
        this.c = c;
        rt = c.runtime();
        b = new Body(rt, rules);
    }

    static Tensor run(Call c, Registry rules) {
        return new SelectiveScan(c, rules).scanned();
    }

    private Tensor scanned() {
        Tensor x = c.tensor("hidden_states");
        DType type = x.dtype();
        Tensor dt = steps();
        Tensor inputs = b.let(b.call("transpose.int", c.tensor("B"), 1, 2));
        Tensor readings = b.let(b.call("transpose.int", c.tensor("C"), 1, 2));
        Tensor decays = b.let(decays(dt));
        Tensor weights = b.let(weights(dt, inputs));
        Tensor added = b.let(b.call("mul.Tensor", weights, floats(b.call("unsqueeze", x, 3))));
        Tensor state = b.let(
                b.call("zeros", new long[] {x.size(0), x.size(1), c.tensor("A").size(1)}, type));
        Tensor[] outputs = new Tensor[(int) x.size(2)];
        for (int i = 0; i < outputs.length; i++) {
            Tensor kept = b.call("mul.Tensor", b.call("select.int", decays, 2, i), state);
            Tensor next = b.call("add.Tensor", kept, b.call("select.int", added, 2, i));
            state = rebound(state, next);
            Tensor narrow = b.call("to.dtype", state, type);
            Tensor column = b.call("unsqueeze", b.call("select.int", readings, 1, i), -1);
            Tensor seen = b.let(b.call("matmul", narrow, column));
            outputs[i] = b.let(b.call("select.int", seen, 2, 0));
        }
        Tensor out = b.let(b.call("stack", outputs, -1));
        Tensor skipped = b.call("mul.Tensor", x, b.call("unsqueeze", b.call("unsqueeze", c.tensor("D"), 0), 2));
        out = rebound(out, b.call("add.Tensor", out, skipped));
        out = rebound(out, b.call("mul.Tensor", out, b.call("silu", c.tensor("z"))));
        for (Tensor variable : new Tensor[] {dt, inputs, readings, decays, weights, added, state}) {
            b.drop(variable);
        }
        return b.give(out); // the list of outputs goes last, from its end
    }

    /** {@code name = value} in Python: temporaries go before what the name stood for. */
    private Tensor rebound(Tensor variable, Tensor value) {
        b.let(value);
        b.drop(variable);
        return value;
    }

    /** {@code dt = F.softplus(dt + delta_bias[..., None])}. */
    private Tensor steps() {
        Tensor dt = c.tensor("dt");
        Tensor bias = b.call("to.dtype", c.tensor("delta_bias"), dt.dtype());
        Tensor shifted = b.let(b.call("add.Tensor", dt, b.call("unsqueeze", bias, -1)));
        return rebound(shifted, b.call("softplus", shifted));
    }

    /** {@code torch.exp(A[None, :, None, :] * dt[:, :, :, None])}. */
    private Tensor decays(Tensor dt) {
        Tensor rates = b.call("unsqueeze", b.call("unsqueeze", c.tensor("A"), 0), 2);
        return b.call("exp", b.call("mul.Tensor", rates, b.call("unsqueeze", dt, 3)));
    }

    /** {@code dt[:, :, :, None] * B[:, None, :, :].float()}. */
    private Tensor weights(Tensor dt, Tensor inputs) {
        return b.call("mul.Tensor", b.call("unsqueeze", dt, 3), floats(b.call("unsqueeze", inputs, 1)));
    }

    private Tensor floats(Tensor t) {
        return b.call("to.dtype", t, DType.FLOAT32);
    }
}
