package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.IndexingKernels.Combine;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code scatter_reduce} (aten/src/ATen/native/TensorAdvancedIndexing.cpp; torch/csrc/autograd/FunctionsManual.cpp,
 * scatter_reduce_backward), and {@code index_reduce}, whose index names whole entries (cuda/Indexing.cu;
 * index_reduce_backward).
 *
 * @param how {@code sum}, {@code mean}, {@code prod}, {@code amax} or {@code amin}
 * @param withSelf whether what is there takes part
 * @param entries whether the index names entries and not elements
 */
record ScatterReduce(Eager e, String how, int dim, boolean withSelf, boolean entries) {
    private static final Formula AT_LEAST_ONE = Formula.unary("at_least_one", "x0 == 0 ? 1 : x0", x -> x == 0 ? 1 : x);
    private static final Formula ONE_WHERE = Formula.binary("one_where", "x1 != 0 ? 1 : x0", (x, m) -> m != 0 ? 1 : x);
    private static final Formula IS_ONE = Formula.unary("is_one", "x0 == 1", x -> x == 1 ? 1 : 0);

    static void register(Operators o) {
        for (boolean inPlace : new boolean[] {false, true}) {
            String end = inPlace ? "_" : "";
            o.add1("aten.scatter_reduce" + end, (e, a) -> apply(e, a, "src", inPlace));
            o.add1("aten.index_reduce" + end, (e, a) -> apply(e, a, "source", inPlace));
        }
    }

    private static Tensor apply(Eager e, Arguments a, String source, boolean inPlace) {
        Tensor x = a.tensor("self");
        ScatterReduce call = new ScatterReduce(
                e,
                a.text("reduce", "sum"),
                Layout.dimension(a.integer("dim", 0), x.dims()),
                a.flag("include_self", true),
                source.equals("source"));
        return call.run(x, a.tensor("index"), a.tensor(source), inPlace);
    }

    /** Where each element of a source goes. */
    private Tensor places(Tensor index, Tensor src) {
        return entries ? PlacingOperators.spread(e, index, src, dim) : index;
    }

    private Tensor run(Tensor x, Tensor index, Tensor src, boolean inPlace) {
        Recorder r = e.record(entries ? "IndexReduceBackward0" : "ScatterReduceBackward0", x, src);
        SavedTensor savedIndex = r.save(index);
        Tensor seen = inPlace && r.records() ? e.emptyLike(x) : x;
        if (seen != x) {
            Copies.fill(e, seen, x);
        }
        SavedTensor savedX = r.save(seen);
        e.freeUnless(seen, x);
        SavedTensor savedSource = r.save(src);
        Tensor out = inPlace ? x : e.empty(x.dtype(), x.sizes());
        if (!inPlace) {
            Copies.fill(e, out, x);
        }
        try (var s = e.open()) {
            reduceInto(out, places(index, src), src);
        }
        if (inPlace) {
            r.changed(x);
        }
        SavedTensor result = r.saveOutput(out);
        r.backward(g -> {
            Tensor[] both = new Tensor[2];
            try (var s = e.open()) {
                Tensor at = places(savedIndex.get(), savedSource.get());
                Tensor[] made = gradients(g[0], savedX.get(), at, savedSource.get(), result.get());
                both[0] = s.pass(made[0]);
                both[1] = s.pass(made[1]);
            }
            if (!withSelf) {
                Tensor whole = both[0];
                both[0] = e.emptyStrided(whole.dtype(), whole.sizes(), Layout.contiguous(whole.sizes()));
                Copies.fill(e, both[0], whole);
                try (var s = e.open()) {
                    Tensor at = places(savedIndex.get(), savedSource.get());
                    e.backend().indexing().scatter(both[0], dim, at, Tensor.number(DType.INT64, 0));
                }
                e.freeUnless(whole, g[0]);
            }
            for (int i = 0; i < 2; i++) {
                if (!r.needs(i)) { // it is made all the same
                    e.freeUnless(both[i], g[0]);
                    both[i] = null;
                }
            }
            return both;
        });
        return inPlace ? x : r.output(out);
    }

    private double beginning() {
        return switch (how) {
            case "prod" -> 1;
            case "amax" -> Double.NEGATIVE_INFINITY;
            case "amin" -> Double.POSITIVE_INFINITY;
            default -> 0;
        };
    }

    private void reduceInto(Tensor out, Tensor index, Tensor src) {
        var kernels = e.backend().indexing();
        if (!withSelf) {
            kernels.scatter(out, dim, index, Tensor.number(DType.FLOAT64, beginning()));
        }
        switch (how) {
            case "prod" -> kernels.scatterCombine(Combine.PRODUCT, out, dim, index, src);
            case "amax" -> kernels.scatterCombine(Combine.MAX, out, dim, index, src);
            case "amin" -> kernels.scatterCombine(Combine.MIN, out, dim, index, src);
            default -> kernels.scatterAdd(out, dim, index, src);
        }
        if (how.equals("mean")) {
            try (var s = e.open()) {
                Tensor early = entries ? filled(out, withSelf ? 1 : 0) : null;
                Tensor ones = filled(src, 1);
                Tensor count = early == null ? filled(out, withSelf ? 1 : 0) : early;
                kernels.scatterAdd(count, dim, index, ones);
                if (entries) {
                    e.free(ones);
                }
                atLeastOne(count);
                Elementwise.into(e, dev.headroom.executor.op.elementwise.ArithmeticOperators.DIVIDE, out, out, count);
            }
        }
    }

    private Tensor filled(Tensor like, double value) {
        Tensor out = e.emptyLike(like);
        Elementwise.fill(e, out, value);
        return out;
    }

    /** {@code count.masked_fill_(count == 0, 1)}. */
    private void atLeastOne(Tensor count) {
        Tensor none = new Steps(e).truth(Formulas.EQUALS_ZERO, count);
        Elementwise.into(e, AT_LEAST_ONE, count, count);
        e.free(none);
    }

    private Tensor gathered(Tensor t, Tensor index) {
        Tensor out = e.empty(t.dtype(), index.sizes());
        e.backend().indexing().gather(out, t, dim, index);
        return out;
    }

    /** {@code t.scatter_add(dim, index, values)}. */
    private Tensor added(Tensor t, Tensor index, Tensor values) {
        Tensor out = e.empty(t.dtype(), t.sizes());
        Copies.fill(e, out, t);
        e.backend().indexing().scatterAdd(out, dim, index, values);
        return out;
    }

    private Tensor converted(Tensor mask, DType type) {
        Tensor out = Copies.to(e, mask, type);
        e.freeUnless(mask, out);
        return out;
    }

    private Tensor[] gradients(Tensor g, Tensor x, Tensor index, Tensor src, Tensor result) {
        return switch (how) {
            case "sum" -> new Tensor[] {g, gathered(g, index)};
            case "mean" -> ofMean(g, index, src);
            case "prod" -> ofProduct(g, x, index, src, result);
            default -> ofExtreme(g, x, index, src, result);
        };
    }

    private Tensor[] ofMean(Tensor g, Tensor index, Tensor src) {
        Steps s = new Steps(e);
        Tensor first = filled(g, withSelf ? 1 : 0);
        Tensor ones = filled(src, 1);
        Tensor count = added(first, index, ones);
        e.free(first);
        e.free(ones);
        atLeastOne(count);
        Tensor ofX = s.over(g, count);
        Tensor counted = gathered(count, index);
        Tensor up = gathered(g, index);
        return new Tensor[] {ofX, s.over(up, counted)};
    }

    private Tensor[] ofExtreme(Tensor g, Tensor x, Tensor index, Tensor src, Tensor result) {
        Steps s = new Steps(e);
        Tensor value = gathered(result, index);
        Tensor isX = converted(s.truth(Formulas.EQUAL, x, result), x.dtype());
        Tensor isSource = converted(s.truth(Formulas.EQUAL, src, value), x.dtype());
        Tensor count = added(isX, index, isSource);
        Tensor share = s.over(g, count);
        if (entries) {
            Tensor ofX = s.times(share, isX);
            return new Tensor[] {ofX, s.times(gathered(share, index), isSource)};
        }
        Tensor equal = s.truth(Formulas.EQUAL, x, result);
        Tensor ofX = s.times(equal, share);
        e.free(equal);
        Tensor up = gathered(share, index);
        Tensor equalSource = s.truth(Formulas.EQUAL, src, value);
        return new Tensor[] {ofX, s.times(equalSource, up)};
    }

    /** Zeros are left out of products, since nothing can be divided by them. */
    private Tensor[] ofProduct(Tensor g, Tensor x, Tensor index, Tensor src, Tensor result) {
        Steps s = new Steps(e);
        Tensor none = s.truth(Formulas.EQUALS_ZERO, x);
        Tensor safeX = masked(x, none);
        if (entries) {
            e.free(none);
        }
        Tensor without = copied(safeX);
        reduceInto(without, index, src);
        Tensor product = s.times(g, without);
        Tensor ofX = s.over(product, safeX);
        e.free(product);
        Tensor zero = s.truth(Formulas.EQUALS_ZERO, src);
        Tensor zeros = filled(x, 0);
        Tensor asNumbers = Copies.to(e, zero, x.dtype());
        Tensor counts = added(zeros, index, asNumbers);
        Tensor count = gathered(counts, index);
        e.free(counts);
        e.free(asNumbers);
        e.free(zeros);
        Tensor one = s.truth(IS_ONE, count);
        Tensor single = s.truth(Formulas.BOTH, zero, one);
        e.free(one);
        Tensor safeSource = masked(src, single);
        Tensor withSafe = copied(x);
        reduceInto(withSafe, index, safeSource);
        Tensor ones = s.of(ONE_WHERE, src, zero);
        Tensor all = s.times(g, result);
        Tensor others = s.over(gathered(all, index), ones);
        Tensor lone = gathered(s.times(g, withSafe), index);
        return new Tensor[] {ofX, s.of(Formulas.WHERE, single, lone, others)};
    }

    private Tensor copied(Tensor t) {
        Tensor out = e.empty(t.dtype(), t.sizes());
        Copies.fill(e, out, t);
        return out;
    }

    private Tensor masked(Tensor t, Tensor mask) {
        Tensor out = new Steps(e).masked(ONE_WHERE, t, mask);
        return out;
    }
}
