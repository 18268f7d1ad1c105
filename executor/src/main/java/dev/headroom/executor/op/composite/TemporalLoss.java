package dev.headroom.executor.op.composite;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.IndexingKernels.Alignment;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/**
 * {@code ctc_loss} (aten/src/ATen/native/LossCTC.cpp, cuda/LossCTC.cu). As there, gradients are those of
 * logarithms that {@code log_softmax} made: they hold the probabilities, which its backward pass takes off again.
 */
public final class TemporalLoss {
    private static final Formula INFINITE =
            Formula.unary("is_infinite_loss", "isinf(x0) ? 1 : 0", x -> Double.isInfinite(x) ? 1 : 0);

    private static final Formula CLEARED_WHERE_INFINITE =
            Formula.binary("cleared_where_infinite", "isinf(x1) ? 0 : x0", (x, l) -> Double.isInfinite(l) ? 0 : x);
    private static final int NONE = 0;
    private static final int MEAN = 1;

    /** Steps, samples and classes together from which on blanks are summed up by operators. */
    private static final long LARGE = 450;

    private final Calls c;
    private final Eager e;
    private final Arguments a;
    private final boolean zeros;

    private TemporalLoss(Calls c, Arguments a) {
        this.c = c;
        this.e = c.e();
        this.a = a;
        this.zeros = a.flag("zero_infinity", false);
    }

    public static void register(Operators o) {
        Calls.add(o, "aten.ctc_loss", (c, a) -> new TemporalLoss(c, a).loss());
    }

    /** How long inputs and targets are, and the longest target, which decides how wide tables are. */
    private record Lengths(double[] inputs, double[] targets, long longest) {}

    private Tensor loss() {
        Tensor given = a.tensor("log_probs");
        boolean batched = given.dims() == 3;
        if (given.dtype() != DType.FLOAT32 && given.dtype() != DType.FLOAT64) {
            throw new UserInputException("ctc_loss is not implemented for " + given.dtype() + ", nor in PyTorch;"
                    + " take log_softmax with dtype=torch.float32");
        }
        refuseCudnn(given);
        Tensor logs = batched ? given : Views.unsqueeze(e, given, 1);
        Lengths lengths = lengths(logs);
        Tensor loss = e.call(() -> recorded(logs, Copies.to(e, a.tensor("targets"), DType.INT64), lengths));
        if (zeros) {
            Tensor all = loss;
            Tensor zero = zero(all.dtype());
            Tensor infinite = c.call("eq", "self", all, "other", Double.POSITIVE_INFINITY);
            loss = c.call("where", "condition", infinite, "self", zero, "other", all);
            e.free(all);
            e.free(infinite);
            e.free(zero);
        }
        return reduced(loss, lengths, batched);
    }

    private Tensor reduced(Tensor loss, Lengths lengths, boolean batched) {
        int reduction = (int) a.integer("reduction", MEAN);
        if (reduction == NONE) {
            return batched ? loss : Views.squeeze(e, loss, 0);
        }
        if (reduction != MEAN) {
            return LossComposites.reduced(c, a, loss);
        }
        Tensor clamped = e.call(() -> {
            Tensor targets = e.empty(loss.dtype(), loss.sizes());
            e.backend().write(targets, lengths.targets);
            return c.call("clamp_min", "self", targets, "min", 1);
        });
        return e.call(() -> LossComposites.reduced(c, a, c.call("div", "self", loss, "other", clamped)));
    }

    /** {@code _use_cudnn_ctc_loss}: its tables are cuDNN's workspace. */
    private void refuseCudnn(Tensor logs) {
        Tensor targets = a.tensor("targets");
        if (a.integer("blank", 0) == 0
                && targets.dims() == 1
                && targets.dtype() == DType.INT32
                && logs.dtype() == DType.FLOAT32
                && logs.dims() == 3
                && isInt32("input_lengths")
                && isInt32("target_lengths")) {
            throw new UserInputException(
                    "ctc_loss of joined int32 targets, which cuDNN computes, is not supported by the"
                            + " executor; give it int64 targets");
        }
    }

    private boolean isInt32(String name) {
        return a.isTensor(name) && a.tensor(name).dtype() == DType.INT32;
    }

    /** Read back from the device; where kernels do nothing, inputs and targets are as long as they can be. */
    private Lengths lengths(Tensor logs) {
        Tensor targets = a.tensor("targets");
        int samples = (int) logs.size(1);
        double[] of = new double[samples];
        Arrays.fill(of, (double) logs.size(0));
        double[] inputs = given("input_lengths", of);
        long row = targets.dims() == 1 ? (targets.elements() + samples - 1) / Math.max(1, samples) : targets.size(1);
        Arrays.fill(of, (double) row);
        double[] labels = given("target_lengths", of);
        if (inputs.length != samples || labels.length != samples) {
            throw new UserInputException("ctc_loss takes one length for each of its " + samples + " samples");
        }
        if (Arrays.stream(inputs).anyMatch(n -> n < 0 || n > logs.size(0))) {
            throw new UserInputException("ctc_loss: an input length is not in the " + logs.size(0) + " steps");
        }
        double sum = Arrays.stream(labels).sum();
        double longest = Arrays.stream(labels).max().orElse(0);
        boolean inside = targets.dims() == 1 ? sum <= targets.elements() : longest <= row;
        if (e.backend().computes() && (!inside || Arrays.stream(labels).anyMatch(n -> n < 0))) {
            throw new UserInputException("ctc_loss: target lengths are more than there are targets");
        }
        return new Lengths(inputs, labels, (long) longest);
    }

    private double[] given(String name, double[] otherwise) {
        if (!a.isTensor(name)) {
            return Arrays.stream(a.integers(name)).asDoubleStream().toArray();
        }
        return e.backend().computes() ? e.backend().read(a.tensor(name)) : otherwise.clone();
    }

    private Tensor recorded(Tensor logs, Tensor targets, Lengths lengths) {
        Recorder r = e.record("CtcLossBackward0", logs);
        SavedTensor savedLogs = r.save(logs);
        SavedTensor savedTargets = r.save(targets);
        Alignment of = alignment(targets, lengths);
        Tensor alpha = e.empty(logs.dtype(), logs.size(1), logs.size(0), 2 * lengths.longest + 1);
        Tensor loss = e.empty(logs.dtype(), logs.size(1));
        e.backend().indexing().align(of, logs, alpha, loss);
        free(of);
        SavedTensor savedLoss = r.saveOutput(loss);
        SavedTensor savedAlpha = r.save(alpha);
        return r.backward(g -> new Tensor[] {
                    gradient(savedLogs.get(), savedTargets.get(), lengths, savedLoss.get(), savedAlpha.get(), g[0])
                })
                .output(loss);
    }

    /** Lengths and places, copied from the host. */
    private Alignment alignment(Tensor targets, Lengths lengths) {
        int samples = lengths.targets.length;
        boolean joined = targets.dims() == 1;
        double[] places = new double[samples];
        for (int b = 1; b < samples; b++) {
            places[b] = joined ? places[b - 1] + lengths.targets[b - 1] : b * targets.stride(0);
        }
        Tensor labels = e.empty(DType.INT64, samples);
        Tensor steps = e.empty(DType.INT64, samples);
        Tensor begins = e.empty(DType.INT64, samples);
        e.backend().write(labels, lengths.targets);
        e.backend().write(steps, lengths.inputs);
        e.backend().write(begins, places);
        long stride = targets.stride(joined ? 0 : 1);
        return new Alignment(targets, begins, stride, labels, steps, a.integer("blank", 0));
    }

    /** Where targets begin is the function's first variable, and the last to go. */
    private void free(Alignment of) {
        e.free(of.inputLengths());
        e.free(of.targetLengths());
        e.free(of.begins());
    }

    /** {@code _ctc_loss_backward}. */
    private Tensor gradient(Tensor logs, Tensor targets, Lengths lengths, Tensor losses, Tensor alpha, Tensor given) {
        Alignment of = alignment(targets, lengths);
        Tensor beta = e.empty(alpha.dtype(), alpha.sizes());
        e.backend().indexing().alignBack(of, logs, beta);
        Tensor gradient = e.empty(logs.dtype(), logs.sizes());
        Elementwise.into(e, Formulas.EXP, gradient, logs);
        long samples = logs.size(1);
        boolean large = 2 * logs.size(0) + 24 * samples / 10 + 2 * logs.size(2) / 10 > LARGE;
        if (large) {
            takeBlanks(gradient, logs, losses, alpha, beta);
        }
        Elementwise.into(e, Elementwise.MULTIPLY, gradient, gradient, row(given));
        Tensor[] tables = {alpha, beta};
        e.backend().indexing().alignGradient(of, tables, logs, losses, given, gradient, !large, zeros);
        Tensor out = zeros ? cleared(gradient, losses, large) : gradient;
        e.freeUnless(gradient, out);
        e.free(beta);
        free(of);
        return out;
    }

    /** The probability of blanks, which are every other state. */
    private void takeBlanks(Tensor gradient, Tensor logs, Tensor losses, Tensor alpha, Tensor beta) {
        long blank = a.integer("blank", 0);
        try (Scope s = e.open()) {
            Tensor sums = Elementwise.binary(e, Elementwise.ADD, everyOther(alpha), everyOther(beta));
            Tensor shares = c.call("logsumexp", "self", sums, "dim", new long[] {2}, "keepdim", true);
            long[] sizes = {shares.size(1), shares.size(0), 1};
            long[] strides = {shares.stride(1), shares.stride(0), shares.stride(2)};
            Tensor turned = e.alias(shares, sizes, strides, 0);
            Elementwise.into(e, Elementwise.ADD, turned, turned, row(losses));
            Elementwise.into(e, Formulas.DIFFERENCE, turned, turned, narrowed(logs, blank));
            Elementwise.into(e, Formulas.EXP, turned, turned);
            Tensor ofBlanks = narrowed(gradient, blank);
            Elementwise.into(e, Formulas.DIFFERENCE, ofBlanks, ofBlanks, turned);
        }
    }

    private Tensor everyOther(Tensor table) {
        long[] sizes = {table.size(0), table.size(1), table.size(2) / 2 + 1};
        return e.alias(
                table, sizes, new long[] {table.stride(0), table.stride(1), 2 * table.stride(2)}, table.offset());
    }

    private Tensor narrowed(Tensor t, long entry) {
        return e.alias(t, new long[] {t.size(0), t.size(1), 1}, t.strides(), t.offset() + entry * t.stride(2));
    }

    /** One for each sample, beside steps and classes. */
    private Tensor row(Tensor t) {
        long[] sizes = {1, t.size(0), 1};
        return e.alias(t, sizes, new long[] {0, t.stride(0), 0}, t.offset());
    }

    private Tensor zero(DType type) {
        Tensor zero = e.empty(type);
        Elementwise.fill(e, zero, 0);
        return zero;
    }

    /** Zeros where the loss is infinite: in the kernel of small problems, of large ones by {@code where}. */
    private Tensor cleared(Tensor gradient, Tensor losses, boolean large) {
        if (!large) {
            Elementwise.into(e, CLEARED_WHERE_INFINITE, gradient, gradient, row(losses));
            return gradient;
        }
        return e.call(() -> {
            Tensor zero = zero(gradient.dtype());
            Tensor infinite = Elementwise.map(e, INFINITE, DType.BOOL, new double[0], row(losses));
            return c.call("where", "condition", infinite, "self", zero, "other", gradient);
        });
    }
}
