package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Gradients of matrices in fewer rows or columns: their product with a matrix that is made in the first step and anew
 * every 200 (galore_torch 1.0, galore_projector.py; apollo_torch 1.0, random_projector.py). GaLore's consists of
 * singular vectors: of float32 gradients a view, that keeps all of them.
 */
final class Projection {
    private static final int STEPS_BETWEEN = 200;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final int rank;
    private final boolean random;

    /** {@code state["step"]} and {@code ortho_matrix} of a parameter. */
    private final Map<Integer, Integer> steps = new HashMap<>();

    private final Map<Integer, Tensor> matrices = new HashMap<>();
    private Set<Tensor> parameters = Set.of();

    /** @param random of random numbers, in the place of singular vectors */
    Projection(OptimizerState state, int rank, boolean random) {
        this.state = state;
        this.rt = state.runtime();
        this.rank = rank;
        this.random = random;
    }

    void of(Set<Tensor> projected) {
        parameters = Set.copyOf(projected);
    }

    /** Whether any gradients are projected. */
    boolean any() {
        return !parameters.isEmpty();
    }

    boolean has(int i) {
        return parameters.contains(state.parameter(i));
    }

    /** {@code projector.project(grad, step)}: a local variable. */
    Tensor project(int i, Tensor grad) {
        boolean tall = tall(i);
        int step = steps.merge(i, 1, Integer::sum) - 1;
        if (step % STEPS_BETWEEN == 0) {
            Tensor made = random ? randomMatrix(grad, tall) : singularVectors(grad, tall);
            rt.release(matrices.put(i, Objects.requireNonNull(rt.hold(made))));
            rt.free(made);
        }
        long kept = random ? rank : Math.min(rank, Math.min(grad.size(0), grad.size(1)));
        return tall ? product(grad.dtype(), grad.size(0), kept) : product(grad.dtype(), kept, grad.size(1));
    }

    /** {@code projector.project_back(low)}, scaled. */
    Tensor back(int i, Tensor low) {
        Tensor p = state.parameter(i);
        Tensor wide = product(low.dtype(), p.size(0), p.size(1));
        Tensor scaled = rt.emptyLike(wide);
        rt.free(wide);
        return scaled;
    }

    /** Whether columns are projected, else rows. */
    boolean tall(int i) {
        return state.parameter(i).size(0) >= state.parameter(i).size(1);
    }

    private Tensor product(DType type, long rows, long columns) {
        rt.workspaces().useBlas();
        return rt.empty(type, rows, columns);
    }

    /** {@code stable_randn} in float32, beside a copy of the gradient that gives shape and type alone. */
    private Tensor randomMatrix(Tensor grad, boolean tall) {
        Tensor matrix = wide(grad);
        Tensor numbers =
                tall ? rt.empty(DType.FLOAT32, rank, grad.size(1)) : rt.empty(DType.FLOAT32, grad.size(0), rank);
        Tensor scaled = rt.emptyLike(numbers);
        rt.free(numbers);
        if (matrix == grad) {
            return scaled;
        }
        Tensor out = rt.emptyLike(scaled, grad.dtype());
        rt.free(scaled);
        rt.free(matrix);
        return out;
    }

    /** {@code get_orthogonal_matrix}: the decomposition, the product that is not used, and what is. */
    private Tensor singularVectors(Tensor grad, boolean tall) {
        long rows = grad.size(0);
        long columns = grad.size(1);
        long least = Math.min(rows, columns);
        long kept = Math.min(rank, least);
        Tensor matrix = wide(grad);
        Tensor left = rt.empty(DType.FLOAT32, rows, least);
        Tensor right = rt.empty(DType.FLOAT32, least, columns);
        Tensor values = rt.empty(DType.FLOAT32, least);
        decompose(matrix, rows, columns);
        Tensor diagonal = rt.empty(DType.FLOAT32, kept, kept);
        Tensor unused = tall ? product(DType.FLOAT32, rows, kept) : product(DType.FLOAT32, kept, columns);
        rt.free(diagonal);
        Tensor whole = tall ? right : left;
        Tensor out = whole;
        if (matrix != grad) {
            out = tall ? rt.empty(grad.dtype(), kept, columns) : rt.empty(grad.dtype(), rows, kept);
            rt.free(matrix);
        }
        rt.freeUnless(left, out);
        rt.free(values);
        rt.freeUnless(right, out);
        rt.free(unused);
        return out;
    }

    /**
     * {@code gesvdj} (ATen/native/cuda/linalg/BatchLinearAlgebraLib.cpp): a copy of the matrix, the library's
     * workspace, and a look at whether it converged. cuSOLVER 12 asks for that many elements where one side is twice
     * the other and more, and for up to a fiftieth more where they are nearly equal: there it is a bound from below.
     */
    private void decompose(Tensor matrix, long rows, long columns) {
        Tensor info = rt.empty(DType.INT32, 1);
        Tensor copy = rt.emptyLike(matrix);
        Tensor workspace = rt.empty(DType.FLOAT32, (rows + columns) * Math.min(rows, columns));
        rt.workspaces().noteBound();
        rt.free(workspace);
        rt.free(copy);
        Tensor any = rt.empty(DType.BOOL);
        Tensor converted = rt.empty(DType.BOOL);
        rt.free(converted);
        rt.free(any);
        rt.free(info);
    }

    /** {@code grad.float()} of half precision. */
    private Tensor wide(Tensor grad) {
        return grad.dtype() == DType.FLOAT32 ? grad : rt.emptyLike(grad, DType.FLOAT32);
    }
}
