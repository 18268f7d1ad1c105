package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An element-wise kernel of a backward pass, such as {@code tanh_backward}, as autograd records it where the pass is
 * recorded itself. Its formulas (tools/autograd/derivatives.yaml) call operators that are recorded in turn, so that
 * it can be differentiated any number of times.
 */
public final class BackwardKernel {
    /** The gradient of an argument; {@code kept} holds the arguments that formulas read, by position. */
    @FunctionalInterface
    public interface Formula {
        Tensor of(Body b, Tensor grad, @Nullable Tensor[] kept);
    }

    /**
     * @param argument its position
     * @param reads positions of what the formula reads
     */
    public record Term(int argument, List<Integer> reads, Formula formula) {}

    /** {@code zeros_like(grad)}. */
    public static final Formula ZEROS = (b, g, kept) -> b.made(b.runtime().emptyLike(g));

    private final String node;
    private final List<Term> terms;

    /** @param terms in the order of the arguments' names */
    public BackwardKernel(String node, Term... terms) {
        this.node = node;
        this.terms = List.of(terms);
    }

    /** Runs the kernel; the result is a temporary of the formula's. */
    public Tensor apply(Body b, Tensor... arguments) {
        EagerRuntime rt = b.runtime();
        Recorder r = rt.record(node, arguments);
        Saved[] saved = new Saved[arguments.length];
        for (int i = 0; i < saved.length; i++) {
            int position = i;
            boolean read = terms.stream().anyMatch(t -> r.needs(t.argument) && t.reads.contains(position));
            saved[i] = r.saveIf(read, arguments[i]);
        }
        Tensor out = Strided.result(rt, arguments);
        for (Term t : terms) {
            r.gradient(t.argument, g -> {
                Tensor[] kept = new Tensor[saved.length];
                for (int i : t.reads) {
                    kept[i] = saved[i].get();
                }
                Body formula = b.another();
                return formula.give(t.formula.of(formula, g, kept));
            });
        }
        return b.made(r.again().output(out));
    }
}
