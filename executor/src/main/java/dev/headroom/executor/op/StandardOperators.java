package dev.headroom.executor.op;

import dev.headroom.executor.op.attention.AttentionOperators;
import dev.headroom.executor.op.complex.ComplexOperators;
import dev.headroom.executor.op.complex.FourierOperators;
import dev.headroom.executor.op.composite.AlgebraComposites;
import dev.headroom.executor.op.composite.Differences;
import dev.headroom.executor.op.composite.Distances;
import dev.headroom.executor.op.composite.Einsum;
import dev.headroom.executor.op.composite.LossComposites;
import dev.headroom.executor.op.composite.MarginLosses;
import dev.headroom.executor.op.composite.OtherForms;
import dev.headroom.executor.op.composite.Quantiles;
import dev.headroom.executor.op.composite.SetComposites;
import dev.headroom.executor.op.composite.ShapeComposites;
import dev.headroom.executor.op.composite.ShortTimeFourier;
import dev.headroom.executor.op.composite.SmallComposites;
import dev.headroom.executor.op.composite.SmoothedCrossEntropy;
import dev.headroom.executor.op.composite.StackComposites;
import dev.headroom.executor.op.composite.TemporalLoss;
import dev.headroom.executor.op.composite.TurningComposites;
import dev.headroom.executor.op.elementwise.ActivationOperators;
import dev.headroom.executor.op.elementwise.ArithmeticOperators;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.elementwise.DropoutOperators;
import dev.headroom.executor.op.elementwise.ElementaryOperators;
import dev.headroom.executor.op.elementwise.ElementwiseOperators;
import dev.headroom.executor.op.elementwise.FunctionOperators;
import dev.headroom.executor.op.elementwise.FurtherActivations;
import dev.headroom.executor.op.elementwise.GeluOperators;
import dev.headroom.executor.op.elementwise.Selecting;
import dev.headroom.executor.op.elementwise.SelectionOperators;
import dev.headroom.executor.op.image.ConvolutionOperators;
import dev.headroom.executor.op.image.PatchOperators;
import dev.headroom.executor.op.image.PoolingOperators;
import dev.headroom.executor.op.image.RegionOperators;
import dev.headroom.executor.op.image.SamplingOperators;
import dev.headroom.executor.op.image.UpsamplingOperators;
import dev.headroom.executor.op.image.VolumeOperators;
import dev.headroom.executor.op.indexing.EmbeddingOperators;
import dev.headroom.executor.op.indexing.IndexingOperators;
import dev.headroom.executor.op.indexing.ScatterOperators;
import dev.headroom.executor.op.library.LibraryOperators;
import dev.headroom.executor.op.loss.BinaryCrossEntropy;
import dev.headroom.executor.op.loss.CrossEntropy;
import dev.headroom.executor.op.loss.DistanceLosses;
import dev.headroom.executor.op.loss.LossOperators;
import dev.headroom.executor.op.loss.SoftMarginLoss;
import dev.headroom.executor.op.matrix.GroupedProducts;
import dev.headroom.executor.op.matrix.LinearAlgebra;
import dev.headroom.executor.op.matrix.MatrixOperators;
import dev.headroom.executor.op.normalization.GroupNorms;
import dev.headroom.executor.op.normalization.LayerNorm;
import dev.headroom.executor.op.normalization.NormalizationOperators;
import dev.headroom.executor.op.normalization.RmsNorm;
import dev.headroom.executor.op.normalization.WeightNorms;
import dev.headroom.executor.op.pointwise.BinaryFunctions;
import dev.headroom.executor.op.pointwise.Exponents;
import dev.headroom.executor.op.pointwise.FurtherFunctions;
import dev.headroom.executor.op.pointwise.Powers;
import dev.headroom.executor.op.pointwise.SpecialFunctions;
import dev.headroom.executor.op.pointwise.TernaryFunctions;
import dev.headroom.executor.op.pointwise.TruthFunctions;
import dev.headroom.executor.op.pointwise.UnaryFunctions;
import dev.headroom.executor.op.pointwise.WindowFunctions;
import dev.headroom.executor.op.quantised.QuantisedOperators;
import dev.headroom.executor.op.recurrent.RecurrentOperators;
import dev.headroom.executor.op.reduction.CountingOperators;
import dev.headroom.executor.op.reduction.CumulativeOperators;
import dev.headroom.executor.op.reduction.ExtremeOperators;
import dev.headroom.executor.op.reduction.LogSumExp;
import dev.headroom.executor.op.reduction.MomentOperators;
import dev.headroom.executor.op.reduction.Multinomials;
import dev.headroom.executor.op.reduction.NormOperators;
import dev.headroom.executor.op.reduction.OrderingOperators;
import dev.headroom.executor.op.reduction.RankOperators;
import dev.headroom.executor.op.reduction.ReductionOperators;
import dev.headroom.executor.op.reduction.ScanOperators;
import dev.headroom.executor.op.reduction.SoftmaxOperators;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.op.shape.CopyOperators;
import dev.headroom.executor.op.shape.CreationOperators;
import dev.headroom.executor.op.shape.DiagonalOperators;
import dev.headroom.executor.op.shape.DrawnOperators;
import dev.headroom.executor.op.shape.JoiningOperators;
import dev.headroom.executor.op.shape.LineOperators;
import dev.headroom.executor.op.shape.PaddingOperators;
import dev.headroom.executor.op.shape.Permutations;
import dev.headroom.executor.op.shape.RearrangingOperators;
import dev.headroom.executor.op.shape.StridedScatter;
import dev.headroom.executor.op.shape.ViewOperators;
import dev.headroom.executor.op.shape.WindowOperators;
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
            GroupedProducts::register,
            CumulativeOperators::register,
            MomentOperators::register,
            NormOperators::register,
            NormalizationOperators::register,
            PaddingOperators::register,
            PoolingOperators::register,
            VolumeOperators::register,
            PatchOperators::register,
            RegionOperators::register,
            SamplingOperators::register,
            QuantisedOperators::register,
            RearrangingOperators::register,
            RecurrentOperators::register,
            ReductionOperators::register,
            ScanOperators::register,
            Selecting::register,
            SelectionOperators::register,
            SoftmaxOperators::register,
            UpsamplingOperators::register,
            Einsum::register,
            OrderingOperators::register,
            RankOperators::register,
            CountingOperators::register,
            ScatterOperators::register,
            SmallComposites::register,
            Quantiles::register,
            Differences::register,
            DrawnOperators::register,
            WindowFunctions::register,
            LineOperators::register,
            StridedScatter::register,
            Exponents::register,
            Permutations::register,
            Multinomials::register,
            WindowOperators::register,
            SetComposites::register,
            ShapeComposites::register,
            UnaryFunctions::register,
            BinaryFunctions::register,
            FurtherFunctions::register,
            SpecialFunctions::register,
            Powers::register,
            TernaryFunctions::register,
            FurtherActivations::register,
            BinaryCrossEntropy::register,
            DistanceLosses::register,
            SoftMarginLoss::register,
            TruthFunctions::register,
            DiagonalOperators::register,
            LossComposites::register,
            SmoothedCrossEntropy::register,
            MarginLosses::register,
            Distances::register,
            AlgebraComposites::register,
            TemporalLoss::register,
            TurningComposites::register,
            StackComposites::register,
            LogSumExp::register,
            RmsNorm::register,
            WeightNorms::register,
            LinearAlgebra::register,
            LibraryOperators::register,
            OtherForms::register,
            ComplexOperators::register,
            FourierOperators::register,
            ShortTimeFourier::register,
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
