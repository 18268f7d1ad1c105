package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;

/**
 * FunctionsManual.cpp, index_reduce_backward: both gradients, whichever is wanted.
 *
 * @param included whether what was there takes part
 */
record IndexReduceBackward(Body b, Tensor g, Saved self, Saved index, Saved source, long dim, boolean included) {
    private Tensor selected(Tensor t) {
        return b.call("index_select", t, dim, index.get());
    }

    private Tensor same(Tensor a, Tensor c) {
        Tensor equal = b.call("eq.Tensor", a, c);
        return b.let(b.call("to.dtype", equal, a.dtype()));
    }

    /** Each gets the gradient times what the others make. */
    Tensor[] ofProduct(Tensor result) {
        Tensor t = self.get();
        Tensor src = source.get();
        Tensor whole = b.let(b.call("masked_fill.Scalar", t, b.call("eq.Scalar", t, 0), 1));
        Tensor made = b.let(b.call("index_reduce", whole, dim, index.get(), src, "prod", included));
        Tensor ofSelf = b.let(b.call("div.Tensor", b.call("mul.Tensor", g, made), whole));
        Tensor zero = b.let(b.call("eq.Scalar", src, 0));
        Tensor none = b.call("zeros_like", t);
        Tensor counted = b.call("index_add", none, dim, index.get(), b.call("to.dtype", zero, t.dtype()));
        Tensor zeros = b.let(selected(counted));
        Tensor single = b.let(b.call("bitwise_and.Tensor", zero, b.call("eq.Scalar", zeros, 1)));
        Tensor filled = b.let(b.call("masked_fill.Scalar", src, single, 1));
        Tensor others = b.let(b.call("index_reduce", t, dim, index.get(), filled, "prod", included));
        Tensor divisor = b.call("masked_fill.Scalar", src, zero, 1);
        Tensor quotient = b.call("div.Tensor", selected(b.call("mul.Tensor", g, result)), divisor);
        Tensor product = selected(b.call("mul.Tensor", g, others));
        return given(ofSelf, b.call("where.self", single, product, quotient));
    }

    /** Each gets the gradient over how many there are. */
    Tensor[] ofMean() {
        Tensor first = b.call(included ? "ones_like" : "zeros_like", g);
        Tensor ones = b.call("ones_like", source.get());
        Tensor counts = b.call("index_add", first, dim, index.get(), ones);
        b.gone(first);
        b.gone(ones);
        b.let(counts);
        b.call("masked_fill_.Scalar", counts, b.call("eq.Scalar", counts, 0), 1);
        b.end();
        Tensor ofSelf = b.let(b.call("div.Tensor", g, counts));
        Tensor ofIndexed = selected(counts);
        return given(ofSelf, b.call("div.Tensor", selected(g), ofIndexed));
    }

    /** Those that are equal to the result share its gradient. */
    Tensor[] ofExtremum(Tensor result) {
        Tensor value = b.let(selected(result));
        Tensor isSelf = same(self.get(), result);
        Tensor isSource = same(source.get(), value);
        Tensor count = b.let(b.call("index_add", isSelf, dim, index.get(), isSource));
        Tensor share = b.let(b.call("div.Tensor", g, count));
        Tensor ofSelf = b.let(b.call("mul.Tensor", share, isSelf));
        return given(ofSelf, b.call("mul.Tensor", selected(share), isSource));
    }

    /** What is not included gets no gradient. */
    private Tensor[] given(Tensor ofSelf, Tensor ofSource) {
        b.let(ofSource);
        b.giveAll(ofSelf, ofSource);
        if (included) {
            return new Tensor[] {ofSelf, ofSource};
        }
        Tensor filled = b.give(b.call("index_fill.int_Scalar", ofSelf, dim, index.get(), 0));
        b.runtime().free(ofSelf);
        return new Tensor[] {filled, ofSource};
    }
}
