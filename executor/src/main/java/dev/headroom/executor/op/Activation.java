package dev.headroom.executor.op;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;

/**
 * A function of each element with its derivative.
 *
 * @param node name of the backward node
 * @param forward of the operand, and numbers
 * @param gradient of the result's gradient and what is saved, and the same numbers
 * @param savesResult whether the backward pass looks at the result, else at the operand
 */
record Activation(String node, Formula forward, Formula gradient, boolean savesResult) {
    /** A fresh result. */
    Tensor apply(Eager e, Tensor x, double... numbers) {
        Recorder r = e.record(node, x);
        SavedTensor operand = r.saveIf(!savesResult, x);
        Tensor out = Elementwise.map(e, forward, Promotion.floating(x.dtype()), numbers, x);
        return finished(e, r, operand, out, numbers).result(out);
    }

    /** In place; the derivative must look at the result. */
    Tensor applyInPlace(Eager e, Tensor x, double... numbers) {
        Recorder r = e.record(node, x);
        SavedTensor operand = r.saveIf(!savesResult, x);
        Elementwise.into(e, forward, numbers, x, x);
        if (savesResult) {
            r.changed(x);
            finished(e, r, operand, x, numbers);
            return x;
        }
        finished(e, r, operand, x, numbers);
        return r.changed(x);
    }

    private Recorder finished(Eager e, Recorder r, SavedTensor operand, Tensor out, double... numbers) {
        SavedTensor seen = savesResult ? r.saveResult(out) : operand;
        return r.backward(g -> {
            Tensor saved = seen.get();
            return new Tensor[] {Elementwise.map(e, gradient, Promotion.common(g[0], saved), numbers, g[0], saved)};
        });
    }
}
