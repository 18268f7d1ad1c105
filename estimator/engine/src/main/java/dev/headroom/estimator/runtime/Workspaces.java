package dev.headroom.estimator.runtime;

import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.model.scenario.TorchVersion.LtWorkspace;

/**
 * cuBLAS workspaces. PyTorch takes one per library handle and stream from its own allocator at the first matrix
 * product, and keeps it: the main thread and autograd's worker have a handle each (aten/src/ATen/cuda/
 * CublasHandlePool.cpp, getCUDABlasLtWorkspace and setWorkspaceForHandle). Versions differ, see {@link TorchVersion}.
 */
public final class Workspaces {
    /** Default of {@code CUBLASLT_WORKSPACE_SIZE}. */
    private static final long LT_BYTES = 1024 * 1024;

    private final EagerRuntime runtime;
    private final Tensor[] blas = new Tensor[2];
    private final Tensor[] lt = new Tensor[2];

    Workspaces(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** Called by every matrix product after it made its result. */
    public void useBlas() {
        TorchVersion torch = runtime.options().torch();
        if (torch.keepsBlasWorkspace()) {
            keep(blas, torch.blasWorkspaceBytes(runtime.device().major()));
        }
    }

    /** Called by every product that cuBLASLt adds a bias to; its handle is cuBLAS's. */
    public void useBlasLt() {
        LtWorkspace kind = runtime.options().torch().ltWorkspace();
        if (kind == LtWorkspace.KEPT) {
            useBlas();
            keep(lt, LT_BYTES);
            return;
        }
        Tensor scratch = kind == LtWorkspace.PER_CALL ? runtime.workspace(LT_BYTES) : null;
        useBlas();
        runtime.free(scratch);
    }

    private void keep(Tensor[] byThread, long bytes) {
        int thread = runtime.tape().inBackwardThread() ? 1 : 0;
        if (byThread[thread] == null) {
            Tensor t = runtime.hold(runtime.workspace(bytes));
            runtime.free(t);
            byThread[thread] = t;
        }
    }
}
