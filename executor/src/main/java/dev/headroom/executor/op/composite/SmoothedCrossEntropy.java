package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.loss.CrossEntropy;
import dev.headroom.executor.op.reduction.SoftmaxOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code cross_entropy_loss}: of class numbers, smoothed or not, and of probabilities
 * (aten/src/ATen/native/LossNLL.cpp, cross_entropy_loss_prob_target and cross_entropy_loss_label_smoothing).
 */
public final class SmoothedCrossEntropy {
    private static final int NONE = 0;
    private static final int MEAN = 1;

    private SmoothedCrossEntropy() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.cross_entropy_loss", (c, a) -> {
            Tensor x = a.tensor("self");
            Tensor target = a.tensor("target");
            double smoothing = a.real("label_smoothing", 0);
            int classes = x.dims() == 1 ? 0 : 1;
            int reduction = (int) a.integer("reduction", MEAN);
            long ignored = a.integer("ignore_index", -100);
            // The type is named, so that autocast leaves it alone; nll_loss then gets a copy in single precision.
            Tensor logs = SoftmaxOperators.softmax(c.e(), x, classes, x.dtype(), true);
            if (Arrays.equals(x.sizes(), target.sizes()) && target.dtype().isFloatingPoint()) {
                return probabilities(c, a, logs, target, reduction, smoothing);
            }
            return smoothing == 0
                    ? CrossEntropy.nll(c.e(), logs, target, a.optional("weight"), reduction, ignored)
                    : smoothed(c, a, logs, target, reduction, smoothing);
        });
    }

    private static Tensor op(Calls c, String name, Tensor x, Object other) {
        return c.call(name, "self", x, "other", other);
    }

    private static Tensor weighted(Calls c, Tensor t, @Nullable Tensor weight, int classes) {
        if (weight == null) {
            return t;
        }
        long[] sizes = new long[t.dims()];
        Arrays.fill(sizes, 1);
        sizes[classes] = weight.elements();
        return op(c, "mul", t, Views.view(c.e(), weight, sizes));
    }

    private static Tensor probabilities(
            Calls c, Arguments a, Tensor logs, Tensor given, int reduction, double smoothing) {
        Eager e = c.e();
        int classes = logs.dims() == 1 ? 0 : 1;
        long n = logs.size(classes);
        Tensor target =
                smoothing == 0 ? given : e.call(() -> op(c, "add", op(c, "mul", given, 1 - smoothing), smoothing / n));
        Tensor product = weighted(c, op(c, "mul", logs, target), a.optional("weight"), classes);
        Tensor sum = reduction == NONE
                ? c.call("sum", "self", product, "dim", new long[] {classes})
                : c.call("sum", "self", product);
        Tensor negative = c.call("neg", "self", sum);
        return reduction == MEAN ? op(c, "div", negative, Math.max(1, logs.elements() / n)) : negative;
    }

    private static Tensor smoothed(Calls c, Arguments a, Tensor logs, Tensor target, int reduction, double smoothing) {
        Eager e = c.e();
        Tensor weight = a.optional("weight");
        int classes = logs.dims() == 1 ? 0 : 1;
        if (weight != null && reduction == MEAN) {
            throw new UserInputException("cross_entropy_loss with weights and label smoothing divides by the weights of"
                    + " the labels, how many of which count depends on data");
        }
        long ignored = a.integer("ignore_index", -100);
        Tensor hard = CrossEntropy.nll(e, logs, target, weight, reduction, ignored);
        Tensor soft = e.call(() -> {
            Tensor sum = c.call("sum", "self", weighted(c, logs, weight, classes), "dim", new long[] {classes});
            return c.call("neg", "self", sum);
        });
        Tensor mask = op(c, "eq", target, ignored);
        c.call("masked_fill_", "self", soft, "mask", mask, "value", 0);
        Tensor reduced = soft;
        if (reduction == MEAN) {
            reduced = e.call(() -> {
                Tensor count = c.call("sum", "self", c.call("logical_not", "self", mask));
                return op(c, "div", c.call("sum", "self", soft), count);
            });
        } else if (reduction != NONE) {
            reduced = c.call("sum", "self", soft);
        }
        Tensor second = op(c, "mul", reduced, smoothing / logs.size(classes));
        Tensor first = op(c, "mul", hard, 1 - smoothing);
        return op(c, "add", first, second);
    }
}
