package dev.headroom.estimator.op.core;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What autocast does with an operator's arguments on CUDA, by the overload that it is registered for
 * (ATen/autocast_mode.h, the AT_FORALL lists; ATen/autocast_mode.cpp, TORCH_LIBRARY_IMPL(aten, Autocast)).
 */
public enum AutocastPolicy {
    /** All go to the lower type. */
    LOWER,
    /** All go to float32. */
    FLOAT32,
    /** The operator is told to compute in float32, unless the call names a type. */
    FLOAT32_TYPE,
    /** All go to the widest type among them. */
    PROMOTE,
    /** Refused: the result would overflow. */
    BANNED;

    private static final Map<String, AutocastPolicy> TABLE = new HashMap<>();

    static {
        put(
                LOWER,
                "_convolution _convolution.deprecated convolution cudnn_convolution cudnn_convolution_transpose conv1d"
                        + " conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input conv_transpose3d.input prelu"
                        + " addmm addmv addr addbmm baddbmm bmm mm mv matmul einsum linear linalg_vecdot chain_matmul"
                        + " linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell"
                        + " rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention"
                        + " scaled_dot_product_attention");
        put(
                FLOAT32,
                "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar"
                        + " pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm"
                        + " frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity poisson_nll_loss"
                        + " cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss"
                        + " smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss"
                        + " soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits"
                        + " dist pdist cdist"
                        + " renorm logsumexp upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d"
                        + " _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d upsample_linear1d"
                        + " upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d"
                        + " _upsample_bicubic2d_aa");
        put(
                FLOAT32_TYPE,
                "prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm"
                        + " linalg_matrix_norm.str_ord sum sum.dim_IntList norm.Scalar norm.ScalarOpt_dim");
        put(PROMOTE, "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add");
        put(BANNED, "binary_cross_entropy");
        // Composites that hand their arguments on unchanged to an operator above.
        put(LOWER, "conv1d.padding conv2d.padding conv3d.padding");
        put(
                FLOAT32,
                "square nll_loss_nd upsample_nearest1d.vec _upsample_nearest_exact1d.vec upsample_nearest2d.vec"
                        + " _upsample_nearest_exact2d.vec upsample_nearest3d.vec _upsample_nearest_exact3d.vec"
                        + " upsample_linear1d.vec upsample_bilinear2d.vec _upsample_bilinear2d_aa.vec"
                        + " upsample_trilinear3d.vec upsample_bicubic2d.vec _upsample_bicubic2d_aa.vec");
    }

    private static void put(AutocastPolicy policy, String operators) {
        for (String name : operators.split(" ")) {
            TABLE.put("aten." + name + (name.indexOf('.') < 0 ? ".default" : ""), policy);
        }
    }

    /** The policy for a target such as {@code aten.linear.default}; {@code null}: not intercepted. */
    public static @Nullable AutocastPolicy of(String target) {
        return TABLE.get(target);
    }
}
