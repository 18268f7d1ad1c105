package dev.headroom.executor.op.basic;

import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.nullness.Contract;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code torch.autocast} does to the arguments of an operator (aten/src/ATen/autocast_mode.h and .cpp): casts them
 * before autograd sees them. In-place operators and those that are not listed are left alone.
 */
public final class Autocast {
    private enum Policy {
        LOWER,
        FLOAT32,
        /** Computes in float32 unless told otherwise. */
        FLOAT32_RESULT,
        WIDEST,
        REFUSED
    }

    private static final Map<String, Policy> POLICIES = policies();

    private Autocast() {}

    private static Map<String, Policy> policies() {
        Map<String, Policy> out = new HashMap<>();
        // AT_FORALL_LOWER_PRECISION_FP; cuDNN's recurrent layers have a wrapper of their own (cudnn/RNN.cpp).
        put(out, Policy.LOWER, """
            conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution prelu addmm
            addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm chain_matmul linalg_multi_dot
            lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention\
            """);
        // AT_FORALL_FP32
        put(out, Policy.FLOAT32, """
            acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm
            native_layer_norm rms_norm group_norm frobenius_norm nuclear_norm cosine_similarity poisson_nll_loss
            cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss
            mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss
            multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp upsample_nearest1d
            _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d
            _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa
            upsample_trilinear3d upsample_bicubic2d _upsample_bicubic2d_aa\
            """);
        // AT_FORALL_FP32_SET_OPT_DTYPE, and AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE for norm
        put(out, Policy.FLOAT32_RESULT, """
            prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm sum norm\
            """);
        // AT_FORALL_PROMOTE
        put(out, Policy.WIDEST, """
            addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add\
            """);
        put(out, Policy.REFUSED, "binary_cross_entropy");
        return out;
    }

    private static void put(Map<String, Policy> policies, Policy policy, String names) {
        for (String name : names.strip().split("\\s+")) {
            policies.put("aten." + name, policy);
        }
    }

    /** Whether autocast looks at an operator's arguments; then it does not look at what the operator calls. */
    public static boolean handles(String operator) {
        return POLICIES.containsKey(operator);
    }

    /** Whether an operator computes in the lower type. */
    public static boolean lowers(String operator) {
        return POLICIES.get(operator) == Policy.LOWER;
    }

    /** Whether an operator computes in float32. */
    public static boolean widens(String operator) {
        Policy policy = POLICIES.get(operator);
        return policy == Policy.FLOAT32 || policy == Policy.FLOAT32_RESULT;
    }

    /**
     * The arguments that an operator gets: its own, or casts of them, which are locals of the running scope.
     *
     * @throws UserInputException for what PyTorch refuses under autocast
     */
    public static Arguments applied(Eager e, Arguments a) {
        DType lower = e.autocast().type();
        Policy policy = POLICIES.get(a.node().operator());
        if (lower == null || policy == null) {
            return a;
        }
        return switch (policy) {
            case LOWER -> cast(e, a, lower);
            case FLOAT32 -> cast(e, a, DType.FLOAT32);
            case WIDEST -> cast(e, a, widest(a, lower));
            case FLOAT32_RESULT -> isEligible(first(a)) ? a.assuming(DType.FLOAT32) : a;
            case REFUSED ->
                throw new UserInputException(
                        a.node().target() + " in '" + a.node().module()
                                + "': PyTorch refuses it under autocast; use binary_cross_entropy_with_logits");
        };
    }

    /** A tensor as operators get it that autocast keeps in float32, such as losses: itself while autocast is off. */
    public static Tensor widened(Eager e, Tensor t) {
        return e.autocast().type() == null ? t : cachedCast(e, t, DType.FLOAT32);
    }

    /** From the last to the first: GCC evaluates the arguments of PyTorch's wrapper in this order. */
    private static Arguments cast(Eager e, Arguments a, DType to) {
        Map<String, @Nullable Tensor[]> casts = new HashMap<>();
        List<Node.NamedArgument> given = a.node().arguments();
        for (int i = given.size() - 1; i >= 0; i--) {
            String name = given.get(i).name();
            if (given.get(i).value() instanceof Argument.Value) {
                casts.put(name, new Tensor[] {cachedCast(e, a.tensor(name), to)});
            } else if (given.get(i).value() instanceof Argument.Values) {
                @Nullable Tensor[] list = a.tensors(name);
                for (int k = 0; k < list.length; k++) {
                    list[k] = cachedCast(e, list[k], to);
                }
                casts.put(name, list);
            }
        }
        return a.replacing(casts);
    }

    /** cached_cast. */
    @Contract("_, !null, _ -> !null")
    private static @Nullable Tensor cachedCast(Eager e, @Nullable Tensor t, DType to) {
        if (t == null || !isEligible(t) || t.dtype() == to) {
            return t;
        }
        boolean weight = to == e.autocast().type()
                && t.dtype() == DType.FLOAT32
                && t.requiresGrad()
                && t.isLeaf()
                && t.base() == null;
        Tensor kept = weight ? e.autocast().kept(t) : null;
        if (kept != null) {
            return kept;
        }
        if (!weight) {
            return Copies.to(e, t, to);
        }
        // Recorded even while gradients are off, since a later use of the kept copy may want them (cached_cast).
        boolean before = e.tape().setEnabled(true);
        try {
            Tensor made = Copies.to(e, t, to);
            e.autocast().keep(t, made);
            return made;
        } finally {
            e.tape().setEnabled(before);
        }
    }

    private static boolean isEligible(@Nullable Tensor t) {
        return t != null && t.onDevice() && t.dtype().isFloatingPoint() && t.dtype() != DType.FLOAT64;
    }

    private static @Nullable Tensor first(Arguments a) {
        String name = a.node().arguments().get(0).name();
        return a.optional(name);
    }

    /** promote_type: the lower type unless an argument is in float32. */
    private static DType widest(Arguments a, DType lower) {
        for (Node.NamedArgument argument : a.node().arguments()) {
            if (argument.value() instanceof Argument.Value) {
                Tensor t = a.tensor(argument.name());
                if (isEligible(t) && t.dtype() == DType.FLOAT32) {
                    return DType.FLOAT32;
                }
            }
        }
        return lower;
    }
}
