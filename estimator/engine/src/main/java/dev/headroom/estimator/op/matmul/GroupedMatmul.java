package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * One product for each group of rows, as for the tokens of each expert (ATen/native/cuda/GroupedBlas.cpp and
 * GroupMM.cu, ATen/native/GroupedMMUtils.h). How many rows a group has decides nothing about memory.
 */
final class GroupedMatmul {
    /** Bytes that strides of results are aligned to. */
    private static final int ALIGNMENT = 16;

    /** Bytes of a CUtensorMap, of which a CUTLASS kernel keeps some for every multiprocessor. */
    private static final long TENSOR_MAP = 128;

    /** Smaller groups get smaller tiles. */
    private static final long SMALL = 128;

    private GroupedMatmul() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("mat2");
        return hasKernel(rt) ? product(rt, a, b, c.tensorOrNull("offs")) : loop(rt, a, b, c.tensorOrNull("offs"));
    }

    /**
     * {@code transformers::grouped_mm_fallback}, which an archive holds where no GPU was there at export. On a GPU the
     * library calls PyTorch's own operator instead (transformers, integrations/moe.py, _can_use_grouped_mm).
     */
    static Tensor ofLibrary(Call c) {
        EagerRuntime rt = c.runtime();
        if (!hasKernel(rt)) {
            return loop(rt, c.tensor("input"), c.tensor("weight"), c.tensor("offs"));
        }
        return product(rt, c.tensor("input"), c.tensor("weight"), c.tensor("offs"));
    }

    private static boolean hasKernel(EagerRuntime rt) {
        return rt.device().major() >= 8;
    }

    /**
     * The library's own loop over groups, on older GPUs: both operands are kept, and the backward pass makes a gradient
     * of either, whether or not it is wanted (integrations/moe.py, _grouped_mm_fallback and its backward).
     */
    private static Tensor loop(EagerRuntime rt, Tensor a, Tensor b, @Nullable Tensor offsets) {
        Recorder r = rt.record("GroupedMmFallbackBackward", a, b);
        Saved sa = r.save(a);
        Saved sb = r.save(b);
        if (offsets != null) {
            r.attach(offsets);
        }
        Tensor out = Creation.zeros(rt, a.dtype(), a.size(0), b.size(2));
        return r.gradients(g -> {
                    Tensor ofRows = rt.emptyLike(sa.get());
                    Tensor ofWeights = rt.emptyLike(sb.get());
                    Tensor[] made = {r.needs(0) ? ofRows : null, r.needs(1) ? ofWeights : null};
                    if (!r.needs(1)) {
                        rt.free(ofWeights);
                    }
                    if (!r.needs(0)) {
                        rt.free(ofRows);
                    }
                    return made;
                })
                .output(out);
    }

    /** FunctionsManual.cpp, _grouped_mm_mat1_backward and _grouped_mm_mat2_backward. */
    private static Tensor product(EagerRuntime rt, Tensor a, Tensor b, @Nullable Tensor offsets) {
        Recorder r = rt.record("GroupedMmBackward0", a, b);
        Saved sb = r.saveIf(r.needs(0), b);
        Saved groups = r.save(offsets);
        Saved sa = r.saveIf(r.needs(1), a);
        Tensor out = result(rt, a, b, offsets);
        boolean ca = columnMajor(a);
        boolean cb = columnMajor(b);
        return r.gradient(
                        1,
                        g -> cb
                                ? turned(rt, product(rt, turned(rt, g), sa.get(), groups.getOrNull()))
                                : product(rt, turned(rt, sa.get()), g, groups.getOrNull()))
                .gradient(
                        0,
                        g -> ca
                                ? turned(rt, product(rt, sb.get(), turned(rt, g), groups.getOrNull()))
                                : product(rt, g, turned(rt, sb.get()), groups.getOrNull()))
                .output(out);
    }

    private static Tensor turned(EagerRuntime rt, Tensor t) {
        return Views.transpose(rt, t, -2, -1);
    }

    private static boolean columnMajor(Tensor t) {
        return t.stride(-2) == 1 && t.stride(-1) == t.size(-2);
    }

    private static Tensor result(EagerRuntime rt, Tensor a, Tensor b, @Nullable Tensor offsets) {
        Tensor out = empty(rt, a, b, offsets);
        int major = rt.device().major();
        boolean half = a.dtype() == DType.BFLOAT16 && b.dtype() == DType.BFLOAT16;
        if (half && (major == 9 || major == 10)) {
            long groups = offsets != null ? offsets.numel() : a.size(0);
            Tensor arguments = rt.scratch(argumentBytes(groups));
            Tensor workspace = rt.scratch(
                    TENSOR_MAP * maps(major, a, b, groups) * rt.device().sms());
            rt.free(workspace);
            rt.free(arguments);
        } else {
            // A loop over the groups, in cuBLAS.
            rt.workspaces().useBlas();
        }
        return out;
    }

    /** create_grouped_gemm_output_tensor. */
    private static Tensor empty(EagerRuntime rt, Tensor a, Tensor b, @Nullable Tensor offsets) {
        boolean flat = a.dim() == 2;
        long rows = a.size(-2);
        long columns = b.size(-1);
        long alignment = ALIGNMENT / a.dtype().bytes();
        long padded = (columns + alignment - 1) / alignment * alignment;
        if (flat != (b.dim() == 2)) {
            return rt.emptyStrided(a.dtype(), new long[] {rows, columns}, new long[] {padded, 1});
        }
        long groups = flat && offsets != null ? offsets.numel() : a.size(0);
        return rt.emptyStrided(a.dtype(), new long[] {groups, rows, columns}, new long[] {rows * padded, padded, 1});
    }

    /** Three pointers, three strides and three sizes of 32 bits for each group; an even number of pointers. */
    private static long argumentBytes(long groups) {
        return (groups + 1) / 2 * 2 * 3 * 8 + groups * 3 * 8 + groups * 3 * 4;
    }

    /**
     * Tensor maps for each multiprocessor: CUTLASS 3 keeps those of both operands and of the result for Hopper; the
     * kernels for Blackwell have more, as recorded.
     */
    private static long maps(int major, Tensor a, Tensor b, long groups) {
        if (major == 9) {
            return 4;
        }
        boolean flatA = a.dim() == 2;
        boolean flatB = b.dim() == 2;
        long rows = a.size(-2) / (flatA && !flatB ? groups : 1);
        long columns = b.size(-1) / (flatB && !flatA ? groups : 1);
        return rows <= SMALL || columns <= SMALL ? 42 : 46;
    }
}
