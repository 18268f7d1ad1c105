package dev.headroom.estimator.op.loss;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.loss.Losses.Reduction;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/**
 * {@code ctc_loss} (ATen/native/LossCTC.cpp, cuda/LossCTC.cu, cudnn/LossCTC.cpp). How long targets are decides
 * how large its tables are. Lengths that are tensors have values that nobody knows here: the longest of padded
 * targets fills its row, and targets that are joined have one length.
 */
final class TemporalLoss {
    private final EagerRuntime rt;
    private final Registry rules;
    private final Call c;

    private TemporalLoss(Registry rules, Call c) {
        this.rt = c.runtime();
        this.rules = rules;
        this.c = c;
    }

    static void register(Registry r) {
        r.single("aten.ctc_loss", c -> new TemporalLoss(r, c).loss());
    }

    /** With {@code zero_infinity}, losses of targets that do not fit into their inputs become zeros. */
    private Tensor loss() {
        Body b = new Body(rt, rules);
        Tensor given = c.tensor("log_probs");
        boolean batched = given.dim() == 3;
        Tensor logs = batched ? given : b.let(b.call("unsqueeze", given, 1));
        boolean cudnn = usesCudnn(given);
        Tensor loss = cudnn ? b.let(b.made(byCudnn(logs))) : natively(b, logs);
        if (c.flag("zero_infinity", false)) {
            Tensor zero = b.made(rt.empty(loss.dtype()));
            Tensor infinite = b.call("eq.Scalar", loss, Double.POSITIVE_INFINITY);
            loss = b.assign(loss, b.call("where.self", infinite, zero, loss));
        }
        Reduction reduction = LossFunctions.reduction(c);
        if (reduction == Reduction.SUM) {
            return b.give(b.call("sum", loss));
        }
        if (reduction == Reduction.MEAN) {
            Tensor lengths = cudnn ? c.tensor("target_lengths") : b.made(rt.empty(loss.dtype(), logs.size(1)));
            Tensor clamped = b.let(b.call("clamp_min", lengths, 1));
            return b.give(b.call("mean", b.call("div.Tensor", loss, clamped)));
        }
        return b.give(batched ? loss : b.call("squeeze.dim", loss, 0));
    }

    /** {@code _use_cudnn_ctc_loss}, but for what it asks of the lengths' values. */
    private boolean usesCudnn(Tensor logs) {
        Tensor targets = c.tensor("targets");
        boolean takes = c.integer("blank", 0) == 0
                && targets.dim() == 1
                && targets.dtype() == DType.INT32
                && targets.isContiguous()
                && logs.dtype() == DType.FLOAT32
                && logs.dim() == 3;
        if (takes && !c.isTensor("input_lengths") && !targets.onDevice()) {
            throw new NoRule("ctc_loss of targets and lengths on the host, which cuDNN computes, has no rule");
        }
        return takes && isInt32("input_lengths") && isInt32("target_lengths");
    }

    private boolean isInt32(String lengths) {
        return c.isTensor(lengths) && c.tensor(lengths).dtype() == DType.INT32;
    }

    /** {@code _ctc_loss}, of whole numbers of 64 bits on the device. */
    private Tensor natively(Body b, Tensor logs) {
        Tensor targets = c.tensor("targets");
        if (!targets.onDevice()) {
            targets = b.made(rt.empty(DType.INT64, targets.sizes()));
        } else if (targets.dtype() != DType.INT64) {
            targets = b.made(Copies.to(rt, targets, DType.INT64));
        }
        return b.let(b.made(recorded(logs, targets)));
    }

    private Tensor recorded(Tensor logs, Tensor targets) {
        long states = 2 * longest(logs, targets) + 1;
        Recorder r = rt.record("CtcLossBackward0", logs);
        Saved input = r.save(logs);
        r.save(targets);
        Tensor[] lengths = lengths(logs.size(1));
        Tensor alpha = rt.empty(logs.dtype(), logs.size(1), logs.size(0), states);
        Tensor loss = rt.empty(logs.dtype(), logs.size(1));
        release(lengths);
        r.saveOutput(loss);
        r.saveOutput(alpha);
        boolean zeros = c.flag("zero_infinity", false);
        r.gradient(0, g -> gradient(input.get(), states, zeros)).outputs(new Tensor[] {loss, alpha});
        rt.free(alpha);
        return loss;
    }

    /** Lengths of targets and of inputs and where each target begins, copied from the host. */
    private Tensor[] lengths(long batch) {
        return new Tensor[] {rt.empty(DType.INT64, batch), rt.empty(DType.INT64, batch), rt.empty(DType.INT64, batch)};
    }

    /** Where targets begin is the first variable of the function, and the last to go. */
    private void release(Tensor[] lengths) {
        rt.free(lengths[1]);
        rt.free(lengths[0]);
        rt.free(lengths[2]);
    }

    private long longest(Tensor logs, Tensor targets) {
        if (!c.isTensor("target_lengths")) {
            return Arrays.stream(c.integers("target_lengths")).max().orElse(0);
        }
        return targets.dim() == 1 ? Bytes.ceilDiv(targets.numel(), Math.max(1, logs.size(1))) : targets.size(1);
    }

    /** {@code _ctc_loss_backward}: large problems sum up the blanks by operators, small ones in one kernel. */
    private Tensor gradient(Tensor logs, long states, boolean zeros) {
        long steps = logs.size(0);
        long batch = logs.size(1);
        Tensor[] lengths = lengths(batch);
        Tensor beta = rt.empty(logs.dtype(), batch, steps, states);
        Tensor gradient = rt.empty(logs.dtype(), logs.sizes());
        Tensor out = gradient;
        if (2 * steps + 24 * batch / 10 + 2 * logs.size(2) / 10 > 450) {
            Body b = new Body(rt, rules);
            b.call("logsumexp", b.made(rt.empty(logs.dtype(), batch, steps, states / 2 + 1)), new long[] {2}, true);
            b.end();
            if (zeros) {
                Tensor zero = rt.empty(logs.dtype());
                Tensor infinite = rt.empty(DType.BOOL, 1, batch, 1);
                out = rt.empty(logs.dtype(), logs.sizes());
                rt.free(infinite);
                rt.free(zero);
                rt.free(gradient);
            }
        }
        rt.free(beta);
        release(lengths);
        return out;
    }

    /** {@code _cudnn_ctc_loss.Tensor}: the gradient comes with the loss. */
    private Tensor byCudnn(Tensor logs) {
        Tensor[] copies = copies("targets", "input_lengths", "target_lengths");
        Recorder r = rt.record("CudnnCtcLossBackward1", logs);
        Tensor raw = rt.empty(logs.dtype(), logs.sizes());
        Tensor workspace = CtcWorkspace.take(rt, logs);
        Tensor loss = rt.empty(logs.dtype(), logs.size(1));
        rt.free(workspace);
        for (int i = copies.length - 1; i >= 0; i--) {
            rt.free(copies[i]);
        }
        Saved savedLoss = r.saveOutput(loss);
        Saved savedRaw = r.saveOutput(raw);
        boolean zeros = c.flag("zero_infinity", false);
        r.gradient(0, g -> scaled(g, savedLoss.get(), savedRaw.get(), zeros)).outputs(new Tensor[] {loss, raw});
        rt.free(raw);
        return loss;
    }

    /** Of what is on the host. */
    private Tensor[] copies(String... names) {
        return Arrays.stream(names)
                .map(c::tensor)
                .filter(t -> !t.onDevice())
                .map(t -> rt.empty(t.dtype(), t.sizes()))
                .toArray(Tensor[]::new);
    }

    /** {@code _cudnn_ctc_loss_backward} (torch/csrc/autograd/FunctionsManual.cpp). */
    private Tensor scaled(Tensor g, Tensor loss, Tensor raw, boolean zeros) {
        Body b = new Body(rt, rules);
        Tensor wide = b.call("unsqueeze", b.call("unsqueeze", g, 0), 2);
        Tensor product = b.call("mul.Tensor", raw, wide);
        if (!zeros) {
            return b.give(product);
        }
        Tensor zero = b.made(rt.empty(raw.dtype()));
        Tensor none = b.call("eq.Scalar", b.call("unsqueeze", b.call("unsqueeze", loss, 0), 2), 0);
        return b.give(b.call("where.self", none, zero, product));
    }
}
