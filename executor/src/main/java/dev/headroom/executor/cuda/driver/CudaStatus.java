package dev.headroom.executor.cuda.driver;

import java.nio.charset.StandardCharsets;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.cuda.global.nvml;
import org.bytedeco.cuda.global.nvrtc;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;

/**
 * The one place where the statuses of CUDA's libraries are looked at. Each method passes a success and turns everything
 * else into a {@link CudaException} that names the call, the code and its meaning.
 */
public final class CudaStatus {
    private static final int INSUFFICIENT_DRIVER = 35;
    private static final int NO_DEVICE = 100;
    private static final int NO_BINARY = 209;
    private static final int UNSUPPORTED_PTX_VERSION = 222;

    private static final int LONGEST_MESSAGE = 512;

    private CudaStatus() {}

    /**
     * Checks a status of the CUDA runtime.
     *
     * @param call the function's name
     * @throws CudaException when the status is not {@code cudaSuccess}; the runtime's last error is then cleared,
     *     so that a later call does not report it again
     */
    public static void runtime(String call, int status) {
        if (status != cudart.cudaSuccess) {
            cudart.cudaGetLastError();
            throw failure(call, status, text(cudart.cudaGetErrorName(status)), text(cudart.cudaGetErrorString(status)));
        }
    }

    /** Checks a status of the driver. */
    public static void driver(String call, int status) {
        if (status != cudart.CUDA_SUCCESS) {
            try (PointerPointer<BytePointer> name = new PointerPointer<>(1);
                    PointerPointer<BytePointer> meaning = new PointerPointer<>(1)) {
                boolean known = cudart.cuGetErrorName(status, name) == cudart.CUDA_SUCCESS
                        && cudart.cuGetErrorString(status, meaning) == cudart.CUDA_SUCCESS;
                throw failure(
                        call,
                        status,
                        known ? text(name.get(BytePointer.class, 0)) : "",
                        known ? text(meaning.get(BytePointer.class, 0)) : "");
            }
        }
    }

    /** Checks a status of cuBLAS. */
    public static void blas(String call, int status) {
        if (status != cublas.CUBLAS_STATUS_SUCCESS) {
            throw failure(
                    call, status, text(cublas.cublasGetStatusName(status)), text(cublas.cublasGetStatusString(status)));
        }
    }

    /** Checks a status of cuDNN, which explains some in a line. */
    public static void dnn(String call, int status) {
        if (status != cudnn.CUDNN_STATUS_SUCCESS) {
            byte[] message = new byte[LONGEST_MESSAGE];
            cudnn.cudnnGetLastErrorString(message, message.length - 1); // ends with a zero
            String said = new String(message, StandardCharsets.UTF_8);
            String first =
                    said.substring(0, said.indexOf('\0')).lines().findFirst().orElse("");
            throw failure(call, status, text(cudnn.cudnnGetErrorString(status)), first.strip());
        }
    }

    /** Checks a status of NVRTC. */
    public static void compiler(String call, int status) {
        if (status != nvrtc.NVRTC_SUCCESS) {
            throw failure(call, status, text(nvrtc.nvrtcGetErrorString(status)), "");
        }
    }

    /** Checks a status of NVML. */
    public static void management(String call, int status) {
        if (status != nvml.NVML_SUCCESS) {
            throw failure(call, status, text(nvml.nvmlErrorString(status)), "");
        }
    }

    private static CudaException failure(String call, int status, String name, String meaning) {
        String reason = name.isEmpty() || meaning.isEmpty() ? name + meaning : name + ", " + meaning;
        if (reason.isEmpty()) {
            reason = "unknown error";
        }
        return new CudaException(call + " failed with " + status + " (" + reason + ")" + advice(status), call, status);
    }

    private static String text(BytePointer text) {
        return text == null || text.isNull() ? "" : text.getString().strip().replaceAll("\\s+", " ");
    }

    /**
     * The codes of the runtime and of the driver are the same numbers; those of the other libraries are not so high.
     */
    private static String advice(int status) {
        return switch (status) {
            case INSUFFICIENT_DRIVER -> "; install NVIDIA's driver for CUDA 13 (580 or newer)";
            case NO_DEVICE -> "; look at nvidia-smi and at CUDA_VISIBLE_DEVICES";
            case NO_BINARY, UNSUPPORTED_PTX_VERSION -> "; the driver is older than NVRTC, update it";
            default -> "";
        };
    }
}
