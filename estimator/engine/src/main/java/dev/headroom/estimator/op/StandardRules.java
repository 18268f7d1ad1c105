package dev.headroom.estimator.op;

import dev.headroom.estimator.op.attention.AttentionRules;
import dev.headroom.estimator.op.compiled.CompiledRules;
import dev.headroom.estimator.op.convolution.ConvolutionRules;
import dev.headroom.estimator.op.core.MoreKernels;
import dev.headroom.estimator.op.creation.CopyRules;
import dev.headroom.estimator.op.creation.CreationRules;
import dev.headroom.estimator.op.elementwise.ActivationRules;
import dev.headroom.estimator.op.elementwise.BinaryRules;
import dev.headroom.estimator.op.elementwise.BlendRules;
import dev.headroom.estimator.op.elementwise.Clamping;
import dev.headroom.estimator.op.elementwise.DropoutRules;
import dev.headroom.estimator.op.elementwise.ElementaryRules;
import dev.headroom.estimator.op.elementwise.PointwiseRules;
import dev.headroom.estimator.op.elementwise.RemainingRules;
import dev.headroom.estimator.op.elementwise.SpecialRules;
import dev.headroom.estimator.op.fft.FourierRules;
import dev.headroom.estimator.op.fused.FusedRules;
import dev.headroom.estimator.op.indexing.EmbeddingRules;
import dev.headroom.estimator.op.indexing.IndexingRules;
import dev.headroom.estimator.op.indexing.ScatterRules;
import dev.headroom.estimator.op.linalg.LinearAlgebraRules;
import dev.headroom.estimator.op.loss.LikelihoodLosses;
import dev.headroom.estimator.op.loss.LossRules;
import dev.headroom.estimator.op.loss.MarginLosses;
import dev.headroom.estimator.op.matmul.Chains;
import dev.headroom.estimator.op.matmul.MatmulRules;
import dev.headroom.estimator.op.normalization.NormalizationRules;
import dev.headroom.estimator.op.normalization.SoftmaxRules;
import dev.headroom.estimator.op.pooling.AdaptivePoolingRules;
import dev.headroom.estimator.op.pooling.ImagePatchRules;
import dev.headroom.estimator.op.pooling.PoolingRules;
import dev.headroom.estimator.op.pooling.RegionRules;
import dev.headroom.estimator.op.pooling.UpsamplingRules;
import dev.headroom.estimator.op.quantized.QuantisedRules;
import dev.headroom.estimator.op.recurrent.CellRules;
import dev.headroom.estimator.op.recurrent.RecurrentRules;
import dev.headroom.estimator.op.reduction.Distances;
import dev.headroom.estimator.op.reduction.Products;
import dev.headroom.estimator.op.reduction.ReductionRules;
import dev.headroom.estimator.op.reduction.SelectionRules;
import dev.headroom.estimator.op.rule.AliasRules;
import dev.headroom.estimator.op.rule.InPlaceRules;
import dev.headroom.estimator.op.rule.OutRules;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.op.view.PaddingRules;
import dev.headroom.estimator.op.view.RepetitionRules;
import dev.headroom.estimator.op.view.ShapeRules;
import dev.headroom.estimator.op.view.StridedViewRules;
import dev.headroom.estimator.op.view.ViewRules;
import dev.headroom.estimator.op.vision.VisionRules;

/**
 * The operators that Headroom knows. A new operator is a line in its family's table, and a method where it needs one; a
 * new family is a class with a {@code register} method, listed here.
 */
public final class StandardRules {
    private static final Registry ALL = new Registry()
            .family("views", ViewRules::register)
            .family("creation", CreationRules::register)
            .family("copies and conversions", CopyRules::register)
            .family("arithmetic", PointwiseRules::register)
            .family("arithmetic", BinaryRules::register)
            .family("arithmetic", BlendRules::register)
            .family("elementary functions", ElementaryRules::register)
            .family("activations", ActivationRules::register)
            .family("reductions", ReductionRules::register)
            .family("sorting and selection", SelectionRules::register)
            .family("matrix products", MatmulRules::register)
            .family("convolutions", ConvolutionRules::register)
            .family("pooling", PoolingRules::register)
            .family("pooling", AdaptivePoolingRules::register)
            .family("normalisation", NormalizationRules::register)
            .family("softmax", SoftmaxRules::register)
            .family("losses", LossRules::register)
            .family("dropout", DropoutRules::register)
            .family("embeddings", EmbeddingRules::register)
            .family("indexing", IndexingRules::register)
            .family("padding", PaddingRules::register)
            .family("repetition", RepetitionRules::register)
            .family("indexing", ScatterRules::register)
            .family("interpolation and sampling", UpsamplingRules::register)
            .family("regions of images", RegionRules::register)
            .family("views", StridedViewRules::register)
            .family("views", ShapeRules::register)
            .family("patches", ImagePatchRules::register)
            .family("recurrent", CellRules::register)
            .family("recurrent", RecurrentRules::register)
            .family("attention", AttentionRules::register)
            .family("quantised layers", QuantisedRules::register)
            .family("losses", FusedRules::register)
            .family("images of any size", VisionRules::register)
            .family("compiled graphs", CompiledRules::register)
            .family("losses", MarginLosses::register)
            .family("losses", LikelihoodLosses::register)
            .family("distances", Distances::register)
            .family("Fourier transforms", FourierRules::register)
            .family("matrix products", Chains::register)
            .family("reductions", Products::register)
            .family("arithmetic", Clamping::register)
            .family("special functions", SpecialRules::register)
            .family("further kernels", MoreKernels::register)
            .family("linear algebra", LinearAlgebraRules::register)
            .family("further kernels", RemainingRules::register)
            .family("other names", AliasRules::register)
            .family("arithmetic", OutRules::register)
            .family("in-place forms", InPlaceRules::register)
            .complete();

    private StandardRules() {}

    /** All of them. */
    public static Registry registry() {
        return ALL;
    }
}
