package dev.headroom.executor.cuda;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Loader;

/** Loads the CUDA runtime and checks the status of its calls. */
final class Cuda {
    private static final int INSUFFICIENT_DRIVER = 35;
    private static final int NO_DEVICE = 100;

    private Cuda() {}

    /**
     * Loads the runtime library.
     *
     * @throws CudaException when this machine has none
     */
    static void load() {
        try {
            Loader.load(cudart.class);
        } catch (LinkageError e) {
            throw new CudaException(
                    "CUDA's runtime library libcudart.so.13 cannot be loaded here; install NVIDIA's driver and the CUDA 13"
                            + " runtime, or name the library's folder in LD_LIBRARY_PATH",
                    e);
        }
    }

    /**
     * Passes a successful status and turns any other into an exception.
     *
     * @param call the function's name
     * @throws CudaException when the status is not {@code cudaSuccess}
     */
    static void check(String call, int status) {
        if (status == cudart.cudaSuccess) {
            return;
        }
        String reason = cudart.cudaGetErrorName(status).getString() + ", "
                + cudart.cudaGetErrorString(status).getString();
        throw new CudaException(call + " failed with " + status + " (" + reason + ")" + advice(status));
    }

    private static String advice(int status) {
        return switch (status) {
            case INSUFFICIENT_DRIVER -> "; install NVIDIA's driver for CUDA 13 (580 or newer)";
            case NO_DEVICE -> "; look at nvidia-smi and at CUDA_VISIBLE_DEVICES";
            default -> "";
        };
    }
}
