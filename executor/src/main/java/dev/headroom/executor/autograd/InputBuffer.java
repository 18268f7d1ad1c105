package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorMemory;
import org.jspecify.annotations.Nullable;

/** Gradients on their way to a node, one for each of its results (torch/csrc/autograd/input_buffer.cpp). */
final class InputBuffer {
    private final TensorMemory memory;
    private final GradientArithmetic arithmetic;
    private final @Nullable Tensor[] sums;

    InputBuffer(TensorMemory memory, GradientArithmetic arithmetic, int results) {
        this.memory = memory;
        this.arithmetic = arithmetic;
        this.sums = new Tensor[results];
    }

    /** Adds a gradient, whose reference it takes over. */
    void add(int result, Tensor gradient) {
        Tensor before = sums[result];
        if (before == null) {
            sums[result] = gradient;
            return;
        }
        try (Scope s = memory.open()) {
            if (before.rows() != null || gradient.rows() != null) {
                sums[result] = memory.hold(arithmetic.addSparse(before, gradient));
                memory.release(before);
            } else if (isOnlyOurs(before)) {
                arithmetic.addInPlace(before, gradient);
            } else {
                sums[result] = memory.hold(arithmetic.add(before, gradient));
                memory.release(before);
            }
        } finally {
            memory.release(gradient);
        }
    }

    /** Lets all gradients go: nobody will take them. */
    void release() {
        for (int i = 0; i < sums.length; i++) {
            Tensor t = sums[i];
            sums[i] = null;
            memory.release(t);
        }
    }

    /** can_accumulate_inplace. */
    private static boolean isOnlyOurs(Tensor t) {
        return t.references() == 1 && t.storage().users() == 1 && Layout.isDense(t.sizes(), t.strides());
    }

    /** The gradients, whose references the caller takes over. */
    @Nullable
    Tensor[] take() {
        return sums;
    }
}
