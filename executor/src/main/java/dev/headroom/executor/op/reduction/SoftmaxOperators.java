package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code softmax} and {@code log_softmax} (aten/src/ATen/native/SoftMax.cpp, cuda/SoftMax.cu). */
public final class SoftmaxOperators {
    private SoftmaxOperators() {}

    public static void register(Operators o) {
        o.add1("aten.softmax", (e, a) -> softmax(e, a.tensor("self"), a.integer("dim", -1), a.dtype("dtype"), false));
        o.add1(
                "aten.log_softmax",
                (e, a) -> softmax(e, a.tensor("self"), a.integer("dim", -1), a.dtype("dtype"), true));
    }

    /**
     * @param dtype of the result, {@code null} for the operand's: from half to single precision without a copy
     * between
     */
    public static Tensor softmax(Eager e, Tensor x, long dim, @Nullable DType dtype, boolean log) {
        return e.call(() -> {
            boolean widens = dtype == DType.FLOAT32 && x.dtype() == DType.FLOAT16;
            Tensor operand = dtype == null || widens ? x : Copies.to(e, x, dtype);
            return recorded(e, operand, Layout.dimension(dim, x.dims()), widens ? DType.FLOAT32 : operand.dtype(), log);
        });
    }

    private static Tensor recorded(Eager e, Tensor x, int dim, DType type, boolean log) {
        Recorder r = e.record(log ? "LogSoftmaxBackward0" : "SoftmaxBackward0", x);
        Tensor out = e.empty(type, x.sizes());
        try (Scope s = e.open()) {
            e.backend().softmaxes().softmax(out, Copies.packed(e, x), dim, log);
        }
        SavedTensor result = r.saveOutput(out);
        DType operandType = x.dtype();
        return r.backward(g -> new Tensor[] {gradient(e, g[0], result.get(), dim, operandType, log)})
                .output(out);
    }

    public static Tensor gradient(Eager e, Tensor g, Tensor y, int dim, DType type, boolean log) {
        Tensor out = e.empty(type, g.sizes());
        try (Scope s = e.open()) {
            if (log) {
                e.backend().softmaxes().softmaxBackward(out, Copies.packed(e, g), Copies.packed(e, y), dim, true);
            } else {
                // PyTorch's kernel is given the product that it sums, this one the gradient in the product's memory.
                Tensor product = Elementwise.binary(e, Elementwise.MULTIPLY, g, y);
                Tensor gradient = Copies.packed(e, product);
                Copies.fill(e, gradient, g);
                e.backend().softmaxes().softmaxBackward(out, gradient, Copies.packed(e, y), dim, false);
            }
        }
        return out;
    }
}
