package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.ReductionKernels.Scan;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.elementwise.SelectionOperators;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code masked_scatter}: the places of a mask are filled from another tensor
 * (aten/src/ATen/native/cuda/IndexKernel.cpp, masked_scatter__cuda; TensorAdvancedIndexing.cpp,
 * masked_scatter_backward_symint).
 */
final class MaskedScatter {
    private MaskedScatter() {}

    static void register(Operators o) {
        o.add1(
                "aten.masked_scatter",
                (e, a) -> scattered(e, a.tensor("self"), a.tensor("mask"), a.tensor("source"), false));
        o.add1(
                "aten.masked_scatter_",
                (e, a) -> scattered(e, a.tensor("self"), a.tensor("mask"), a.tensor("source"), true));
    }

    private static Tensor scattered(Eager e, Tensor self, Tensor mask, Tensor source, boolean inPlace) {
        if (!Arrays.equals(Layout.broadcast(self, mask), self.sizes())) {
            throw new UserInputException(
                    "masked_scatter into a tensor that the mask widens is not supported by the executor");
        }
        Recorder r = e.record("MaskedScatterBackward0", self, source);
        SavedTensor saved = r.save(mask);
        Tensor out = self;
        if (!inPlace) {
            out = e.empty(self.dtype(), self.sizes());
            Copies.fill(e, out, self);
        }
        fill(e, out, mask, source);
        long[] sizes = source.sizes();
        r.backward(g -> new Tensor[] {
            r.needs(0) ? SelectionOperators.maskedFill(e, g[0], saved.get(), 0) : null,
            r.needs(1) ? e.call(() -> picked(e, g[0], saved.get(), sizes)) : null
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    private static void fill(Eager e, Tensor out, Tensor mask, Tensor source) {
        long n = out.elements();
        try (Scope s = e.open()) {
            Tensor counts = e.empty(DType.INT64, n);
            Tensor dense = dense(e, mask, out.sizes());
            e.free(e.workspace(CubScratch.scan(n, Long.BYTES)));
            Tensor flat = e.alias(dense, new long[] {n}, new long[] {1}, dense.offset());
            e.backend().reductions().scan(Scan.SUM, counts, null, flat, 0);
            e.backend().indexing().maskedScatter(out, dense, counts, source);
        }
    }

    /** {@code expand_as(…).contiguous()}. */
    private static Tensor dense(Eager e, Tensor mask, long[] sizes) {
        if (Arrays.equals(mask.sizes(), sizes) && mask.isContiguous()) {
            return mask;
        }
        Tensor out = e.empty(DType.BOOL, sizes);
        Copies.fill(e, out, mask);
        return out;
    }

    /** What the mask picks of a gradient, filled up with zeros. */
    private static @Nullable Tensor picked(Eager e, Tensor g, Tensor mask, long[] sizes) {
        long n = g.elements();
        Tensor dense = dense(e, mask, g.sizes());
        Tensor count = e.empty(DType.INT32);
        e.free(e.workspace(CubScratch.countFlags(n, e.settings().gpu())));
        e.free(e.workspace(CubScratch.selectFlags(n, e.settings().gpu())));
        e.free(count);
        if (dense != mask) {
            e.free(dense);
        }
        Tensor zeros = e.empty(g.dtype(), sizes);
        Tensor out = e.empty(g.dtype(), sizes);
        Elementwise.fill(e, out, 0);
        e.free(zeros);
        try (Scope s = e.open()) {
            long[] all = {out.elements()};
            e.backend().indexing().maskedTake(e.alias(out, all, new long[] {1}, 0), mask, g);
        }
        return out;
    }
}
