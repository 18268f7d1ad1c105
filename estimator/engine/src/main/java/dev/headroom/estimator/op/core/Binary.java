package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * Element-wise functions of two tensors: a row says, for each operand, which tensors its gradient formula reads and
 * what the formula allocates.
 */
public final class Binary {
    /**
     * A gradient from the result's gradient and what was kept. A tensor that no formula reads is not kept; the gradient
     * stands in its place.
     */
    @FunctionalInterface
    public interface Gradient {
        @Nullable
        Tensor of(Formula f, Tensor grad, Tensor self, Tensor other, Tensor result);
    }

    /**
     * @param reads letters of what the formula reads: {@code s} self, {@code o} other, {@code r} the result
     */
    public record Term(String reads, Gradient gradient) {}

    /** No gradient flows. */
    public static final Term NONE = new Term("", (f, g, s, o, y) -> null);

    private final String node;
    private final Term self;
    private final Term other;

    public Binary(String node, Term self, Term other) {
        this.node = node;
        this.self = self;
        this.other = other;
    }

    /** Runs the operator. */
    public Tensor apply(EagerRuntime rt, Tensor a, Tensor b, DType type, boolean inPlace) {
        Recorder r = rt.record(node, a, b);
        Saved o = r.saveIf(wanted(r, 'o'), b);
        Saved s = Copies.saveIf(wanted(r, 's'), r, rt, a, inPlace);
        Tensor out = inPlace ? a : Strided.result(rt, type, a, b);
        Saved y = wanted(r, 'r') ? r.saveOutput(out) : r.saveIf(false, out);
        return r.gradient(1, g -> other.gradient.of(new Formula(rt), g, s.getOr(g), o.getOr(g), y.getOr(g)))
                .gradient(0, g -> self.gradient.of(new Formula(rt), g, s.getOr(g), o.getOr(g), y.getOr(g)))
                .output(out);
    }

    /** What only one formula reads is kept only where that gradient is wanted (tools/autograd/gen_variable_type.py). */
    private boolean wanted(Recorder r, char tensor) {
        boolean bySelf = self.reads.indexOf(tensor) >= 0;
        boolean byOther = other.reads.indexOf(tensor) >= 0;
        return bySelf && byOther || bySelf && r.needs(0) || byOther && r.needs(1);
    }
}
