package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.Padding;
import dev.headroom.model.compiled.Product;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.TensorMeta;
import org.jspecify.annotations.Nullable;

/**
 * What Inductor allocates while it compiles a graph, to see whether products are faster with padded sizes
 * (torch/_inductor/fx_passes/pad_mm.py, _should_pad; runtime/benchmarking.py): operands of random numbers, a buffer
 * that is overwritten between runs, and each result.
 */
final class PaddingTrials {
    private final EagerRuntime rt;

    PaddingTrials(EagerRuntime rt) {
        this.rt = rt;
    }

    void run(Product product) {
        Tensor left = CodePlayer.make(rt, product.left());
        Tensor right = CodePlayer.make(rt, product.right());
        TensorMeta added = product.added();
        Tensor bias = added == null ? null : CodePlayer.make(rt, added);
        Tensor otherBias = added == null ? null : CodePlayer.make(rt, added);
        long[] sizes = CodePlayer.known(product.left().sizes());
        long n = last(CodePlayer.known(product.right().sizes()));
        timed(() -> rt.free(result(product, sizes, n, new Padding(0, 0, 0))));
        timed(() -> padded(product, sizes, n, otherBias != null));
        rt.free(bias);
        rt.free(otherBias);
        rt.free(left);
        rt.free(right);
    }

    /** One run to warm up, then many with a cold cache. */
    private void timed(Runnable run) {
        run.run();
        Tensor cache =
                rt.scratch(rt.options().torch().benchmarkBytes(rt.device().l2Bytes()));
        run.run();
        rt.free(cache);
    }

    private static long last(long[] sizes) {
        return sizes[sizes.length - 1];
    }

    private @Nullable Tensor larger(DType type, long[] sizes, long rows, long columns) {
        if (rows == 0 && columns == 0) {
            return null;
        }
        long[] out = sizes.clone();
        out[out.length - 2] += rows;
        out[out.length - 1] += columns;
        return rt.empty(type, out);
    }

    private Tensor result(Product product, long[] left, long n, Padding by) {
        long[] out = left.clone();
        out[out.length - 2] += by.m();
        out[out.length - 1] = n + by.n();
        Tensor made = rt.empty(product.left().dtype(), out);
        rt.workspaces().useBlas();
        return made;
    }

    private void padded(Product product, long[] left, long n, boolean adds) {
        Padding by = Padding.of(product.left(), product.right());
        DType type = product.left().dtype();
        Tensor wideLeft = larger(type, left, by.m(), by.k());
        Tensor wideRight = larger(type, CodePlayer.known(product.right().sizes()), by.k(), by.n());
        Tensor wideBias = null;
        if (adds && by.n() > 0) {
            Tensor zeros = rt.empty(type, by.n());
            wideBias = rt.empty(type, n + by.n());
            rt.free(zeros);
        }
        Tensor made = result(product, left, n, by);
        rt.free(wideBias);
        rt.free(wideLeft);
        rt.free(wideRight);
        rt.free(made);
    }
}
