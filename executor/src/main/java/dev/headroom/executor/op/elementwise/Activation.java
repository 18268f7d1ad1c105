package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;

/**
 * A function of each element with its derivative.
 *
 * @param node name of the backward node
 * @param forward of the operand, and numbers
 * @param gradient of the result's gradient and what is saved, and the same numbers
 * @param savesResult whether the backward pass looks at the result, else at the operand
 * @param savedLeads whether what is saved comes before the gradient among the backward kernel's operands, whose first
 *     decides about the layout
 */
public record Activation(String node, Formula forward, Formula gradient, boolean savesResult, boolean savedLeads) {
    Activation(String node, Formula forward, Formula gradient, boolean savesResult) {
        this(node, forward, gradient, savesResult, false);
    }

    /** A fresh result. */
    public Tensor apply(Eager e, Tensor x, double... numbers) {
        Recorder r = e.record(node, x);
        SavedTensor operand = r.saveIf(!savesResult, x);
        Tensor out = Elementwise.map(e, forward, Promotion.floating(x.dtype()), numbers, x);
        return finished(e, r, operand, out, numbers).output(out);
    }

    /** In place. A derivative that looks at the operand keeps a copy of it. */
    Tensor applyInPlace(Eager e, Tensor x, double... numbers) {
        Recorder r = e.record(node, x);
        Tensor copy = savesResult || !r.records() ? null : ArithmeticOperators.copied(e, true, x);
        SavedTensor operand = r.save(copy);
        e.free(copy);
        Elementwise.into(e, forward, numbers, x, x);
        r.changed(x);
        finished(e, r, operand, x, numbers);
        return x;
    }

    private Recorder finished(Eager e, Recorder r, SavedTensor operand, Tensor out, double... numbers) {
        SavedTensor seen = savesResult ? r.saveOutput(out) : operand;
        return r.backward(g -> new Tensor[] {derivative(e, g[0], seen.get(), numbers)});
    }

    private Tensor derivative(Eager e, Tensor g, Tensor saved, double... numbers) {
        long[] sizes = Layout.broadcast(g, saved);
        long[] strides = savedLeads
                ? IterationOrder.resultStrides(sizes, saved, g)
                : IterationOrder.resultStrides(sizes, g, saved);
        Tensor out = e.emptyStrided(Promotion.common(g, saved), sizes, strides);
        Elementwise.into(e, gradient, numbers, out, g, saved);
        return out;
    }
}
