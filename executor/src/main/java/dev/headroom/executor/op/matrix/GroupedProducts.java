package dev.headroom.executor.op.matrix;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Objects;

/**
 * One product for each group of rows, as for the tokens of each expert (aten/src/ATen/native/cuda/GroupedBlas.cpp,
 * GroupMM.cu; torch/csrc/autograd/FunctionsManual.cpp, _grouped_mm_mat1_backward). How many rows a group has is on the
 * device and decides nothing about memory.
 */
public final class GroupedProducts {
    /** Bytes that rows of results are aligned to. */
    private static final int ALIGNMENT = 16;

    /** Bytes of a CUtensorMap; CUTLASS keeps four of them for each multiprocessor of a Hopper. */
    private static final long TENSOR_MAPS = 4 * 128;

    private GroupedProducts() {}

    public static void register(Operators o) {
        o.add1(
                "aten._grouped_mm",
                (e, a) -> e.call(() -> product(e, a.tensor("self"), a.tensor("mat2"), a.tensor("offs"))));
        // On a GPU the library calls PyTorch's operator instead (transformers, integrations/moe.py).
        o.add1(
                "transformers.grouped_mm_fallback",
                (e, a) -> e.call(() -> product(e, a.tensor("input"), a.tensor("weight"), a.tensor("offs"))));
    }

    private static Tensor product(Eager e, Tensor a, Tensor b, Tensor ends) {
        Recorder r = e.record("GroupedMmBackward0", a, b);
        SavedTensor savedB = r.saveIf(r.needs(0), b);
        SavedTensor savedEnds = r.save(ends);
        SavedTensor savedA = r.saveIf(r.needs(1), a);
        Tensor out = result(e, a, b, ends);
        boolean turnsA = columnMajor(a);
        boolean turnsB = columnMajor(b);
        return r.backward(g -> {
                    Tensor groups = savedEnds.get();
                    Tensor ofA = !r.needs(0)
                            ? null
                            : e.call(() -> turnsA
                                    ? turned(e, product(e, savedB.get(), turned(e, g[0]), groups))
                                    : product(e, g[0], turned(e, savedB.get()), groups));
                    Tensor ofB = !r.needs(1)
                            ? null
                            : e.call(() -> turnsB
                                    ? turned(e, product(e, turned(e, g[0]), savedA.get(), groups))
                                    : product(e, turned(e, savedA.get()), g[0], groups));
                    return new Tensor[] {ofA, ofB};
                })
                .output(out);
    }

    private static Tensor turned(Eager e, Tensor t) {
        return Views.transpose(e, t, -2, -1);
    }

    private static boolean columnMajor(Tensor t) {
        return t.stride(-2) == 1 && t.stride(-1) == t.size(-2);
    }

    private static Tensor result(Eager e, Tensor a, Tensor b, Tensor ends) {
        Tensor out = empty(e, a, b, ends.elements());
        Gpu gpu = Objects.requireNonNull(e.settings().gpu());
        if (a.dtype() == DType.BFLOAT16 && b.dtype() == DType.BFLOAT16 && gpu.major() == 9) {
            // Three pointers, strides and sizes of 32 bits for each group; an even number of pointers.
            long groups = ends.elements();
            Tensor arguments = e.workspace((groups + 1) / 2 * 2 * 3 * 8 + groups * 3 * 8 + groups * 3 * 4);
            Tensor maps = e.workspace(TENSOR_MAPS * gpu.sms());
            multiply(e, out, a, b, ends);
            e.free(maps);
            e.free(arguments);
        } else {
            e.blasWorkspaces().current();
            multiply(e, out, a, b, ends);
        }
        return out;
    }

    /** A stack of transposed groups, or rows that are summed over, also lie on the other side. */
    private static void multiply(Eager e, Tensor out, Tensor a, Tensor b, Tensor ends) {
        if (a.dims() == 3) {
            long[] sizes = {out.size(1), out.size(0)};
            Tensor result = e.alias(out, sizes, new long[] {out.stride(1), out.stride(0)}, out.offset());
            Tensor first =
                    e.alias(b, new long[] {b.size(1), b.size(0)}, new long[] {b.stride(1), b.stride(0)}, b.offset());
            Tensor second = e.alias(
                    a,
                    new long[] {a.size(0), a.size(2), a.size(1)},
                    new long[] {a.stride(0), a.stride(2), a.stride(1)},
                    a.offset());
            e.backend().matrices().multiplyGroups(result, first, second, ends);
            e.free(second);
            e.free(first);
            e.free(result);
            return;
        }
        if (out.elements() > 0) {
            Elementwise.fill(e, out, 0);
        }
        e.backend().matrices().multiplyGroups(out, a, b, ends);
    }

    /** create_grouped_gemm_output_tensor. */
    private static Tensor empty(Eager e, Tensor a, Tensor b, long groups) {
        if (a.dims() == 3 && b.dims() == 3) {
            throw new UserInputException("_grouped_mm of two stacks of matrices is not supported by the executor");
        }
        long rows = a.size(-2);
        long columns = b.size(-1);
        long alignment = ALIGNMENT / a.dtype().bytes();
        long padded = (columns + alignment - 1) / alignment * alignment;
        return a.dims() != b.dims()
                ? e.emptyStrided(a.dtype(), new long[] {rows, columns}, new long[] {padded, 1})
                : e.emptyStrided(a.dtype(), new long[] {groups, rows, columns}, new long[] {rows * padded, padded, 1});
    }
}
