package dev.headroom.executor.op;

import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The operators that the executor has, by name without overload, such as {@code aten.conv2d}. */
public final class Operators {
    private static final Operators STANDARD = new Operators();

    private final Map<String, Operator> byName = new HashMap<>();

    private Operators() {
        ElementwiseOperators.register(this);
        CopyOperators.register(this);
        MatrixOperators.register(this);
        ReductionOperators.register(this);
        ViewOperators.register(this);
        LossOperators.register(this);
        ConvolutionOperators.register(this);
        NormalizationOperators.register(this);
        PoolingOperators.register(this);
        ArithmeticOperators.register(this);
        JoiningOperators.register(this);
        DropoutOperators.register(this);
        LayerNorm.register(this);
        SoftmaxOperators.register(this);
        GeluOperators.register(this);
        EmbeddingOperators.register(this);
        CrossEntropy.register(this);
        CreationOperators.register(this);
        ComparisonOperators.register(this);
        IndexingOperators.register(this);
        SelectionOperators.register(this);
        ScanOperators.register(this);
        RearrangingOperators.register(this);
        AttentionOperators.register(this);
        ElementaryOperators.register(this);
        RecurrentOperators.register(this);
    }

    /** All of them. */
    public static Operators standard() {
        return STANDARD;
    }

    /** The operator of a name, or {@code null}. */
    public Operator find(String name) {
        return byName.get(name);
    }

    /** All names, sorted. */
    public Set<String> names() {
        return new TreeSet<>(byName.keySet());
    }

    void add(String name, Operator operator) {
        if (byName.put(name, operator) != null) {
            throw new IllegalStateException(name + " is registered twice");
        }
    }

    /** Adds an operator of one result. */
    void add1(String name, Operator.Single operator) {
        add(name, (e, a) -> new Tensor[] {operator.run(e, a)});
    }
}
