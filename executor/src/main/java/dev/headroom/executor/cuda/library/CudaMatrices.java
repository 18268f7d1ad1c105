package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.kernel.DeviceView;
import dev.headroom.executor.cuda.kernel.ElementTypes;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.kernel.Walk;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaContext.BlasThread;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.MatrixKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * Products by cuBLAS as PyTorch asks for them (aten/src/ATen/cuda/CUDABlas.cpp): single precision without TF32, half
 * precision with sums in single precision, batches by strides. What cuBLAS cannot read goes to a plain kernel.
 */
public final class CudaMatrices implements MatrixKernels, AutoCloseable {
    private final CudaContext context;
    private final KernelFiles kernels;
    private final long[] workspaces = new long[BlasThread.values().length];
    private final FloatPointer singles = new FloatPointer(2);
    private final DoublePointer doubles = new DoublePointer(2);

    public CudaMatrices(CudaContext context, KernelFiles kernels) {
        this.context = context;
        this.kernels = kernels;
    }

    @Override
    public void multiply(Tensor result, Tensor a, Tensor b, double alpha, double beta, @Nullable Tensor workspace) {
        if (result.elements() == 0) {
            return;
        }
        BlasMatrix c = BlasMatrix.of(result);
        BlasMatrix x = BlasMatrix.of(a);
        BlasMatrix y = BlasMatrix.of(b);
        boolean large = Math.max(Math.max(c.rows(), c.columns()), x.columns()) > Integer.MAX_VALUE;
        if (large || x.columns() == 0 || !c.fits() || !x.fits() || !y.fits() || !types(result, a, b)) {
            plain(result, a, b, alpha, beta);
            return;
        }
        int batchDims = result.dims() - 2;
        Walk batches = Walk.over(
                Arrays.copyOf(result.sizes(), batchDims),
                Arrays.copyOf(result.strides(), batchDims),
                Arrays.copyOf(a.strides(), batchDims),
                Arrays.copyOf(b.strides(), batchDims));
        Call call = new Call(handle(workspace), result.dtype(), a.dtype(), scalars(result.dtype(), alpha, beta));
        // A result with packed columns is the transposed of one with packed rows.
        if (c.hasPackedRows()) {
            loop(call, batches, 0, c, x, y, 0, 1, 2);
        } else {
            loop(call, batches, 0, c.transposed(), y.transposed(), x.transposed(), 0, 2, 1);
        }
    }

    /** What all products of a batch share. */
    private record Call(cublasContext handle, DType result, DType operands, Pointer scalars) {}

    /** Whether cuBLAS has the combination of types. */
    private static boolean types(Tensor result, Tensor a, Tensor b) {
        DType type = a.dtype();
        boolean widens = type.isReducedFloat() && result.dtype() == DType.FLOAT32;
        boolean computes = type.isReducedFloat() || type == DType.FLOAT32 || type == DType.FLOAT64;
        return computes && b.dtype() == type && (result.dtype() == type || widens);
    }

    /** The innermost dimension of a batch is one call; what lies around it is gone through here. */
    private void loop(
            Call call, Walk batches, int dim, BlasMatrix c, BlasMatrix a, BlasMatrix b, int ofC, int ofA, int ofB) {
        int dims = batches.sizes().length;
        if (dims - dim <= 1) {
            boolean one = dims == dim;
            product(
                    call,
                    c,
                    a,
                    b,
                    one ? 1 : batches.sizes()[dim],
                    one ? 0 : batches.strides()[ofC][dim],
                    one ? 0 : batches.strides()[ofA][dim],
                    one ? 0 : batches.strides()[ofB][dim]);
            return;
        }
        for (long i = 0; i < batches.sizes()[dim]; i++) {
            loop(
                    call,
                    batches,
                    dim + 1,
                    moved(c, i * batches.strides()[ofC][dim] * call.result().bytes()),
                    moved(a, i * batches.strides()[ofA][dim] * call.operands().bytes()),
                    moved(b, i * batches.strides()[ofB][dim] * call.operands().bytes()),
                    ofC,
                    ofA,
                    ofB);
        }
    }

    private static BlasMatrix moved(BlasMatrix m, long bytes) {
        return new BlasMatrix(m.address() + bytes, m.rows(), m.columns(), m.rowStride(), m.columnStride());
    }

    /**
     * The transposed result, as cuBLAS sees the memory, is the product of the transposed operands the other way
     * round.
     */
    private static void product(
            Call call, BlasMatrix c, BlasMatrix a, BlasMatrix b, long batches, long ofC, long ofA, long ofB) {
        boolean wide = call.operands() == DType.FLOAT64;
        int compute = wide ? cublas.CUBLAS_COMPUTE_64F : cublas.CUBLAS_COMPUTE_32F;
        int algorithm =
                call.operands().isReducedFloat() ? cublas.CUBLAS_GEMM_DEFAULT_TENSOR_OP : cublas.CUBLAS_GEMM_DEFAULT;
        int opB = b.hasPackedRows() ? cublas.CUBLAS_OP_N : cublas.CUBLAS_OP_T;
        int opA = a.hasPackedRows() ? cublas.CUBLAS_OP_N : cublas.CUBLAS_OP_T;
        int n = (int) c.columns();
        int m = (int) c.rows();
        int k = (int) a.columns();
        DevicePointer alpha = new DevicePointer(call.scalars().address());
        DevicePointer beta = new DevicePointer(call.scalars().address() + (wide ? Double.BYTES : Float.BYTES));
        DevicePointer pb = new DevicePointer(b.address());
        DevicePointer pa = new DevicePointer(a.address());
        DevicePointer pc = new DevicePointer(c.address());
        int type = DataTypes.cuda(call.operands());
        int out = DataTypes.cuda(call.result());
        int ldb = (int) b.leading();
        int lda = (int) a.leading();
        int ldc = (int) c.leading();
        if (batches == 1) {
            CudaStatus.blas(
                    "cublasGemmEx",
                    cublas.cublasGemmEx(
                            call.handle(),
                            opB,
                            opA,
                            n,
                            m,
                            k,
                            alpha,
                            pb,
                            type,
                            ldb,
                            pa,
                            type,
                            lda,
                            beta,
                            pc,
                            out,
                            ldc,
                            compute,
                            algorithm));
            return;
        }
        CudaStatus.blas(
                "cublasGemmStridedBatchedEx",
                cublas.cublasGemmStridedBatchedEx(
                        call.handle(),
                        opB,
                        opA,
                        n,
                        m,
                        k,
                        alpha,
                        pb,
                        type,
                        ldb,
                        ofB,
                        pa,
                        type,
                        lda,
                        ofA,
                        beta,
                        pc,
                        out,
                        ldc,
                        ofC,
                        Math.toIntExact(batches),
                        compute,
                        algorithm));
    }

    /** The handle of the thread that the workspace belongs to: each has one. */
    private cublasContext handle(@Nullable Tensor workspace) {
        if (workspace == null) {
            return context.blas(BlasThread.FORWARD);
        }
        int thread = 0;
        while (thread < workspaces.length - 1 && workspaces[thread] != 0 && workspaces[thread] != workspace.address()) {
            thread++;
        }
        cublasContext handle = context.blas(BlasThread.values()[thread]);
        if (workspaces[thread] != workspace.address()) {
            CudaStatus.blas(
                    "cublasSetWorkspace_v2",
                    cublas.cublasSetWorkspace_v2(
                            handle,
                            new DevicePointer(workspace.address()),
                            workspace.storage().bytes()));
            workspaces[thread] = workspace.address();
        }
        return handle;
    }

    private Pointer scalars(DType type, double alpha, double beta) {
        if (type == DType.FLOAT64) {
            return doubles.put(alpha, beta);
        }
        return singles.put((float) alpha, (float) beta);
    }

    private void plain(Tensor result, Tensor a, Tensor b, double alpha, double beta) {
        boolean nothing = a.elements() == 0;
        long n = result.elements();
        kernels.kernel("matrices", "multiply", ElementTypes.of(result, a, b))
                .launch(
                        LaunchShape.elements(n),
                        n,
                        result.size(-1),
                        result.size(-2),
                        nothing ? 0L : a.size(-1),
                        DeviceView.of(result),
                        DeviceView.of(a),
                        DeviceView.of(b),
                        a.stride(-1),
                        b.stride(-2),
                        alpha,
                        beta);
    }

    @Override
    public void distances(Tensor result, Tensor a, Tensor b, double order) {
        kernels.kernel("distances", "distances", a.dtype())
                .launch(
                        LaunchShape.elements(result.elements()),
                        result.elements(),
                        DeviceView.of(result),
                        DeviceView.of(a),
                        DeviceView.of(b),
                        order);
    }

    @Override
    public void distanceSlopes(Tensor pairs, Tensor g, Tensor a, Tensor b, Tensor result, double order) {
        kernels.kernel("distances", "distance_slopes", a.dtype())
                .launch(
                        LaunchShape.elements(pairs.elements()),
                        pairs.elements(),
                        DeviceView.of(pairs),
                        DeviceView.of(g),
                        DeviceView.of(a),
                        DeviceView.of(b),
                        DeviceView.of(result),
                        order);
    }

    @Override
    public void multiplyGroups(Tensor result, Tensor a, Tensor b, Tensor ends) {
        kernels.kernel("matrices", "multiply_groups", ElementTypes.of(result, a, b))
                .launch(
                        LaunchShape.elements(result.elements()),
                        result.elements(),
                        DeviceView.of(result),
                        DeviceView.of(a),
                        DeviceView.of(b),
                        ends.elements(),
                        ends.address());
    }

    @Override
    public void close() {
        singles.close();
        doubles.close();
    }
}
