package dev.headroom.executor.train;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** {@code torch.nn.utils.clip_grad_norm_} with Euclidean norms (torch/nn/utils/clip_grad.py). */
public final class GradientClipping {
    /** Elements of a block of the multi-tensor kernels (aten/src/ATen/native/cuda/MultiTensorApply.cuh, kChunkSize). */
    private static final long CHUNK = 65536;

    /** Added to the norm, which may be zero. */
    private static final double EPSILON = 1e-6;

    private static final Formula ADD = new Formula("clip_add", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);
    private static final Formula INVERT = Formula.unary("clip_invert", "1 / x0", x -> 1 / x);
    private static final Formula SCALE = new Formula("clip_scale", "y0 = x0 * s0;", (x, s, y) -> y[0] = x[0] * s[0]);
    private static final Formula CLAMP =
            new Formula("clip_clamp", "y0 = x0 > s0 ? s0 : x0;", (x, s, y) -> y[0] = x[0] > s[0] ? s[0] : x[0]);
    private static final Formula MULTIPLY = Formula.binary("clip_multiply", "x0 * x1", (a, b) -> a * b);

    private final Eager eager;
    private final List<Tensor> gradients;
    private final UnaryOperator<Tensor> ofAllRanks;

    private GradientClipping(Eager eager, List<Tensor> gradients, UnaryOperator<Tensor> ofAllRanks) {
        this.eager = eager;
        this.ofAllRanks = ofAllRanks;
        this.gradients = gradients;
    }

    /**
     * Scales the gradients of parameters, in place, so that all together are no longer than a limit.
     *
     * @param most the greatest norm
     * @param ofAllRanks {@link Wrapper#ofAllRanks}
     */
    public static void clip(Eager eager, List<Tensor> parameters, double most, UnaryOperator<Tensor> ofAllRanks) {
        List<Tensor> gradients =
                parameters.stream().map(Tensor::grad).filter(Objects::nonNull).toList();
        if (gradients.stream().anyMatch(g -> g.rows() != null)) {
            throw new UserInputException("the executor does not clip the sparse gradient of an embedding; leave out"
                    + " `clip_grad_norm`, or make the embedding sparse=False");
        }
        if (!gradients.isEmpty()) {
            new GradientClipping(eager, gradients, ofAllRanks).clip(most);
        }
    }

    private void clip(double most) {
        try (Scope s = eager.open()) {
            Tensor total = eager.call(this::totalNorm);
            Tensor sum = map(ADD, EPSILON, total);
            Tensor inverse = map(INVERT, 0, sum); // a number over a tensor is the tensor's reciprocal times the number
            Tensor factor = map(SCALE, most, inverse);
            eager.free(inverse);
            eager.free(sum);
            Tensor clamped = map(CLAMP, 1, factor);
            for (Tensor g : gradients) {
                eager.backend().elementwise().map(MULTIPLY, new double[0], new Tensor[] {g}, g, clamped);
                g.storage().changed();
            }
        }
    }

    /**
     * _get_total_norm: the norm of the norms. Gradients come in groups of a type, out of an {@code std::unordered_map}
     * that puts a new type before all others (ATen/native/ForeachUtils.h).
     */
    private Tensor totalNorm() {
        Map<DType, List<Tensor>> byType = new LinkedHashMap<>();
        gradients.forEach(
                g -> byType.computeIfAbsent(g.dtype(), t -> new ArrayList<>()).add(g));
        List<DType> types = new ArrayList<>(byType.keySet());
        Collections.reverse(types);
        List<Tensor> norms = new ArrayList<>();
        types.forEach(type -> norms.addAll(norms(type, Objects.requireNonNull(byType.get(type)))));
        DType type = Promotion.common(norms.toArray(Tensor[]::new));
        Tensor stacked = eager.empty(type, norms.size());
        for (int i = 0; i < norms.size(); i++) {
            eager.backend().elementwise().copy(eager.alias(stacked, new long[0], new long[0], i), norms.get(i));
        }
        Tensor all = ofAllRanks.apply(stacked);
        Tensor total = eager.empty(type);
        norm(total, all);
        eager.freeUnless(all, stacked);
        eager.free(stacked);
        return total;
    }

    /** _foreach_norm: a scalar each (aten/src/ATen/native/cuda/ForeachReduceOp.cu); chunks have partial sums first. */
    private List<Tensor> norms(DType type, List<Tensor> of) {
        long chunks = of.stream()
                .mapToLong(g -> (g.elements() + CHUNK - 1) / CHUNK)
                .max()
                .orElseThrow();
        long wide = type == DType.FLOAT64 ? Double.BYTES : Float.BYTES;
        Tensor partial = eager.workspace(wide * of.size() * chunks);
        List<Tensor> out = new ArrayList<>();
        for (Tensor g : of) {
            Tensor length = eager.empty(type);
            norm(length, g);
            out.add(length);
        }
        eager.free(partial);
        return out;
    }

    private void norm(Tensor scalar, Tensor of) {
        try (Scope s = eager.open()) {
            long[] ones = new long[of.dims()];
            Arrays.fill(ones, 1);
            eager.backend().reductions().reduce(Kind.NORM, eager.alias(scalar, ones, ones, 0), of);
        }
    }

    private Tensor map(Formula formula, double number, Tensor x) {
        Tensor out = eager.emptyLike(x);
        eager.backend().elementwise().map(formula, new double[] {number}, new Tensor[] {out}, x);
        return out;
    }
}
