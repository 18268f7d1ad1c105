package dev.headroom.shadow;

/**
 * cuBLAS workspaces. PyTorch takes one per library handle and stream from its own allocator at the first matrix
 * product, and keeps it: the main thread and autograd's worker have a handle each (aten/src/ATen/cuda/
 * CublasHandlePool.cpp, getCUDABlasLtWorkspace and setWorkspaceForHandle).
 */
public final class Workspaces {
    private static final long KIB = 1024;

    private final Runtime runtime;
    private Tensor main;
    private Tensor backward;

    Workspaces(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Called by every matrix product after it made its result. */
    public void useBlas() {
        if (runtime.inBackwardThread()) {
            if (backward == null) {
                backward = take();
            }
        } else if (main == null) {
            main = take();
        }
    }

    private Tensor take() {
        Tensor t = runtime.retain(runtime.workspace(defaultBytes(runtime.device())));
        runtime.free(t);
        return t;
    }

    /** {@code parseChosenWorkspaceSize}: 32 MiB on compute capability 9 and later, else :4096:2:16:8. */
    static long defaultBytes(DeviceModel device) {
        return device.major() >= 9 ? 4096 * 8 * KIB : 2 * 4096 * KIB + 8 * 16 * KIB;
    }
}
