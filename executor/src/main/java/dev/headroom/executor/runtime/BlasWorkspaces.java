package dev.headroom.executor.runtime;

import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.scenario.TorchVersion;

/**
 * The workspaces that PyTorch gives cuBLAS: one for each handle and stream, taken from the caching allocator with the
 * first product and kept. Each thread that computes has a handle: the program's and autograd's
 * (aten/src/ATen/cuda/CublasHandlePool.cpp, getCurrentCUDABlasHandle).
 */
public final class BlasWorkspaces {
    private final Eager eager;
    private final Tensor[] ofThread = new Tensor[2];

    BlasWorkspaces(Eager eager) {
        this.eager = eager;
    }

    /** The running thread's workspace. */
    public Tensor current() {
        int thread = eager.tape().inBackwardThread() ? 1 : 0;
        if (ofThread[thread] == null) {
            Owner before = eager.owner();
            eager.own(before.library("cuBLAS"));
            try (Scope s = eager.open()) {
                long bytes = TorchVersion.NEWEST.blasWorkspaceBytes(
                        eager.settings().gpu().major());
                ofThread[thread] = eager.hold(eager.workspace(bytes));
            } finally {
                eager.own(before);
            }
        }
        return ofThread[thread];
    }

    /** Gives them back; PyTorch does so when the process ends. */
    void close() {
        for (int thread = 0; thread < ofThread.length; thread++) {
            eager.release(ofThread[thread]);
            ofThread[thread] = null;
        }
    }
}
