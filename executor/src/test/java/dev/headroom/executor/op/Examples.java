package dev.headroom.executor.op;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * At least one example of every operator. Whoever adds an operator adds an example to its family's file, or its name to
 * {@link #WITHOUT_GRADIENT}.
 */
final class Examples {
    /** Operators whose results have no gradient. */
    static final Set<String> WITHOUT_GRADIENT = Set.of("aten.detach", "aten.empty", "aten.bernoulli_");

    private final List<Example> all = new ArrayList<>();

    private Examples() {
        ElementwiseExamples.add(this);
        ViewExamples.add(this);
        MatrixExamples.add(this);
        ReductionExamples.add(this);
        ConvolutionExamples.add(this);
        NormalizationExamples.add(this);
        JoiningExamples.add(this);
        LossExamples.add(this);
    }

    /** All of them. */
    static List<Example> all() {
        return new Examples().all;
    }

    /** Begins an example, whose arguments are to be added in the schema's order. */
    Example of(String operator) {
        Example e = new Example(operator);
        all.add(e);
        return e;
    }
}
