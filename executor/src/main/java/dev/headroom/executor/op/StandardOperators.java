package dev.headroom.executor.op;

import java.util.List;
import java.util.function.Consumer;

/** The list of all operators that the executor has. */
public final class StandardOperators {
    private static final List<Consumer<Operators>> FAMILIES = List.of(
            ActivationOperators::register,
            ArithmeticOperators::register,
            AttentionOperators::register,
            ComparisonOperators::register,
            ConvolutionOperators::register,
            CopyOperators::register,
            CreationOperators::register,
            CrossEntropy::register,
            DropoutOperators::register,
            ElementaryOperators::register,
            ElementwiseOperators::register,
            EmbeddingOperators::register,
            ExtremeOperators::register,
            FunctionOperators::register,
            GeluOperators::register,
            GroupNorms::register,
            IndexingOperators::register,
            JoiningOperators::register,
            LayerNorm::register,
            LossOperators::register,
            MatrixOperators::register,
            MomentOperators::register,
            NormalizationOperators::register,
            PoolingOperators::register,
            RearrangingOperators::register,
            RecurrentOperators::register,
            ReductionOperators::register,
            ScanOperators::register,
            Selecting::register,
            SelectionOperators::register,
            SoftmaxOperators::register,
            UpsamplingOperators::register,
            ViewOperators::register);

    private static final Operators ALL = new Operators();

    static {
        FAMILIES.forEach(family -> family.accept(ALL));
    }

    private StandardOperators() {}

    /** All of them. */
    public static Operators all() {
        return ALL;
    }
}
