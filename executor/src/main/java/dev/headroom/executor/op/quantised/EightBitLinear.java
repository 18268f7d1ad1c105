package dev.headroom.executor.op.quantised;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code Linear8bitLt} with weights that are integers for good (bitsandbytes/autograd/_functions.py, MatMul8bitLt;
 * backends/cuda/ops.py). No column is taken for an outlier.
 */
final class EightBitLinear {
    private static final double GREATEST = 127;

    private EightBitLinear() {}

    static Tensor run(Eager e, Arguments a) {
        return e.call(() -> {
            Tensor x = a.tensor("input");
            Tensor bias = a.optional("bias");
            Biases.take(e, bias, x.dtype());
            var r = e.record("MatMul8bitLtBackward", x);
            boolean before = e.tape().setEnabled(false);
            try {
                Tensor out = e.call(() -> product(e, a, x, bias));
                r.attach(x);
                DType type = x.dtype();
                long[] sizes = x.sizes();
                return r.backward(g -> new Tensor[] {gradient(e, a, g[0], type, sizes)})
                        .output(out);
            } finally {
                e.tape().setEnabled(before);
            }
        });
    }

    private static Tensor product(Eager e, Arguments a, Tensor input, @Nullable Tensor bias) {
        long[] shape = a.integers("shape");
        long rows = input.elements() / shape[1];
        Tensor x = input.dims() == 3 ? Views.reshape(e, input, rows, shape[1]) : input;
        Tensor half = Copies.to(e, x, DType.FLOAT16);
        Tensor greatest = e.empty(DType.FLOAT32, rows);
        Tensor integers = e.empty(DType.INT8, x.sizes());
        lookForOutliers(e, half, rows);
        setRows(e, half, greatest, integers);
        e.freeUnless(half, x);
        long[] sizes = input.sizes().clone();
        sizes[sizes.length - 1] = shape[0];
        Tensor sums = e.empty(DType.INT32, sizes);
        if (shape[1] % 4 != 0) { // cuBLASLt does not multiply such integers
            inFloats(e, rows, shape);
        }
        Tensor out = e.empty(DType.FLOAT16, sizes);
        multiply(e, a, greatest, integers, sums, out);
        if (bias != null) {
            Matmul.addInPlace(e, out, bias);
        }
        return Copies.to(e, out, input.dtype());
    }

    private static void lookForOutliers(Eager e, Tensor half, long rows) {
        try (Scope s = e.open()) {
            Tensor absolute = e.emptyLike(half);
            Tensor large = e.emptyLike(half, DType.BOOL);
            e.free(absolute);
            e.backend().elementwise().fill(large, 0);
            long[] one = new long[large.dims()];
            Arrays.fill(one, 1);
            e.free(Reductions.reduce(e, Kind.ANY, large, one, DType.BOOL));
            if (rows > 1) {
                e.empty(DType.INT8); // the zero that outliers are set to
            }
        }
    }

    private static void setRows(Eager e, Tensor half, Tensor greatest, Tensor integers) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] values = exchange.values(half);
        if (values == null) {
            return;
        }
        int width = Math.toIntExact(half.size(-1));
        double[] most = new double[values.length / width];
        double[] codes = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            most[i / width] = Math.max(most[i / width], Math.abs(values[i]));
        }
        for (int i = 0; i < values.length; i++) {
            double scale = most[i / width];
            codes[i] = scale == 0 ? 0 : Math.rint(GREATEST * values[i] / scale);
        }
        exchange.set(greatest, most);
        exchange.set(integers, codes);
    }

    private static void multiply(Eager e, Arguments a, Tensor greatest, Tensor integers, Tensor sums, Tensor out) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] x = exchange.values(integers);
        if (x == null) {
            return;
        }
        double[] weight = exchange.computed(a.tensor("weight"));
        double[] columns = exchange.computed(a.tensor("SCB"));
        double[] rows = exchange.computed(greatest);
        int n = columns.length;
        int k = weight.length / n;
        double[] products = new double[rows.length * n];
        double[] scaled = new double[products.length];
        for (int i = 0; i < products.length; i++) {
            for (int j = 0; j < k; j++) {
                products[i] += x[i / n * k + j] * weight[i % n * k + j];
            }
            scaled[i] = products[i] * rows[i / n] * columns[i % n] / (GREATEST * GREATEST);
        }
        exchange.set(sums, products);
        exchange.set(out, scaled);
    }

    private static void inFloats(Eager e, long rows, long[] shape) {
        try (Scope s = e.open()) {
            Tensor x = e.empty(DType.FLOAT32, rows, shape[1]);
            Tensor weight = e.empty(DType.FLOAT32, shape);
            Tensor product = Matmul.matmul(e, x, Views.t(e, weight));
            e.free(weight);
            e.free(x);
            Copies.to(e, product, DType.INT32);
        }
    }

    private static Tensor gradient(Eager e, Arguments a, Tensor grad, DType type, long[] sizes) {
        long[] shape = a.integers("shape");
        Tensor rows = grad.dims() == 3
                ? Copies.contiguous(e, Views.reshape(e, grad, grad.elements() / shape[0], shape[0]))
                : grad;
        Tensor weight = e.empty(type, shape);
        try (Scope s = e.open()) {
            e.emptyLike(a.tensor("SCB")); // scales / 127
        }
        setWeight(e, a, weight);
        Tensor typed = Copies.to(e, rows, type);
        Tensor product = Matmul.matmul(e, typed, weight);
        return Views.view(e, product, sizes);
    }

    private static void setWeight(Eager e, Arguments a, Tensor into) {
        ExchangeKernels exchange = e.backend().exchange();
        double[] integers = exchange.values(a.tensor("weight"));
        if (integers == null) {
            return;
        }
        double[] columns = exchange.computed(a.tensor("SCB"));
        int k = integers.length / columns.length;
        double[] values = new double[integers.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = integers[i] * columns[i / k] / GREATEST;
        }
        exchange.set(into, values);
    }

    /** {@code int8_vectorwise_dequant}: a product for the scales, and one for their unit. */
    static Tensor restored(Eager e, Arguments a) {
        return e.call(() -> {
            e.empty(DType.FLOAT32, a.integers("shape"));
            Tensor out = e.empty(DType.FLOAT32, a.integers("shape"));
            setWeight(e, a, out);
            return out;
        });
    }
}
