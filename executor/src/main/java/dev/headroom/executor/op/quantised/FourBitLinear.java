package dev.headroom.executor.op.quantised;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.quant.CodeBook;
import dev.headroom.executor.quant.PackedWeight;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.FusedKernel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code Linear4bit} (bitsandbytes/nn/modules.py; autograd/_functions.py, matmul_4bit and MatMul4Bit). */
final class FourBitLinear {
    private FourBitLinear() {}

    static Tensor run(Eager e, Arguments a) {
        return e.call(() -> {
            Tensor input = a.tensor("input");
            DType type = given(a, "compute_dtype");
            Tensor x = Copies.to(e, input, type);
            Tensor bias = a.optional("bias");
            Biases.take(e, bias, type);
            return Copies.to(e, product(e, a, x, bias), input.dtype());
        });
    }

    private static Tensor product(Eager e, Arguments a, Tensor x, @Nullable Tensor bias) {
        var r = e.record("MatMul4BitBackward", x);
        boolean before = e.tape().setEnabled(false);
        try {
            Tensor out = e.call(() -> readsCodes(e, a, x) ? overCodes(e, a, x, bias) : overWeight(e, a, x, bias));
            return r.backward(g -> new Tensor[] {gradient(e, a, g[0])}).output(out);
        } finally {
            e.tape().setEnabled(before);
        }
    }

    private static long[] shape(Arguments a) {
        return a.integers("shape");
    }

    private static PackedWeight weight(Arguments a) {
        return new PackedWeight(
                a.text("quant_type", "").equals("nf4") ? CodeBook.NF4 : CodeBook.FP4,
                a.tensor("weight"),
                a.tensor("absmax"),
                a.has("nested_absmax") ? new PackedWeight.Nested(a.tensor("offset"), a.tensor("nested_absmax")) : null);
    }

    private static DType given(Arguments a, String name) {
        return Objects.requireNonNull(a.dtype(name), name);
    }

    /** Whether one kernel reads the codes: then no weight is restored. */
    private static boolean readsCodes(Eager e, Arguments a, Tensor x) {
        Gpu gpu = e.settings().gpu();
        long[] shape = shape(a);
        return FusedKernel.takes(
                new FusedKernel.Card(gpu.major(), gpu.minor(), gpu.sms()),
                x.dtype(),
                x.elements() / shape[1],
                shape[0],
                shape[1]);
    }

    private static Tensor overCodes(Eager e, Arguments a, Tensor x, @Nullable Tensor bias) {
        Tensor rows = Copies.packed(e, x);
        long[] sizes = x.sizes().clone();
        long[] shape = shape(a);
        sizes[sizes.length - 1] = shape[0];
        Tensor out = e.empty(x.dtype(), sizes);
        ExchangeKernels exchange = e.backend().exchange();
        double[] inputs = exchange.values(rows);
        if (inputs != null) {
            int n = Math.toIntExact(shape[0]);
            int k = Math.toIntExact(shape[1]);
            double[] restored = Objects.requireNonNull(weight(a).values(e, n * k), "values");
            double[] added = bias == null ? new double[n] : exchange.computed(bias);
            exchange.set(out, multiplied(inputs, restored, added, n, k));
        }
        return out;
    }

    private static double[] multiplied(double[] x, double[] weight, double[] bias, int n, int k) {
        double[] out = new double[x.length / k * n];
        for (int i = 0; i < out.length; i++) {
            double sum = bias[i % n];
            for (int j = 0; j < k; j++) {
                sum += x[i / n * k + j] * weight[i % n * k + j];
            }
            out[i] = sum;
        }
        return out;
    }

    /** Scales first, where they are codes too; then the weight, for as long as the product takes. */
    private static Tensor overWeight(Eager e, Arguments a, Tensor x, @Nullable Tensor bias) {
        if (a.has("nested_absmax")) {
            e.emptyLike(a.tensor("absmax"), DType.FLOAT32);
            e.emptyLike(a.tensor("absmax"), DType.FLOAT32); // with the offset
        }
        Tensor restored = e.empty(x.dtype(), shape(a));
        weight(a).restore(e, restored);
        return Matmul.linear(e, x, restored, bias);
    }

    private static Tensor gradient(Eager e, Arguments a, Tensor grad) {
        Tensor stored = restored(e, a);
        Tensor restored = Copies.to(e, stored, grad.dtype());
        e.freeUnless(stored, restored);
        return Matmul.matmul(e, grad, restored);
    }

    /** {@code dequantize_4bit} (bitsandbytes/functional.py). */
    static Tensor restored(Eager e, Arguments a) {
        return e.call(() -> {
            if (a.has("nested_absmax")) {
                e.emptyLike(a.tensor("absmax"), DType.FLOAT32);
            }
            Tensor out = e.empty(given(a, "weight_dtype"), shape(a));
            weight(a).restore(e, out);
            return out;
        });
    }
}
