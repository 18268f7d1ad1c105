package dev.headroom.executor.cuda.driver;

/**
 * A library of NVIDIA's that the executor calls, in the order in which they need each other. The versions are those
 * that the Java bindings were made for: CUDA 13 and cuDNN 9.
 */
enum CudaLibrary {
    DRIVER("libcuda.so.1", Advice.DRIVER),
    MANAGEMENT("libnvidia-ml.so.1", Advice.DRIVER),
    RUNTIME("libcudart.so.13", "pip install nvidia-cuda-runtime"),
    BLAS_LT("libcublasLt.so.13", "pip install nvidia-cublas"),
    BLAS("libcublas.so.13", "pip install nvidia-cublas"),
    DNN_GRAPH("libcudnn_graph.so.9", Advice.DNN),
    DNN_OPS("libcudnn_ops.so.9", Advice.DNN),
    DNN_CNN("libcudnn_cnn.so.9", Advice.DNN),
    DNN_ADV("libcudnn_adv.so.9", Advice.DNN),
    COMPILER("libnvrtc.so.13", "pip install nvidia-cuda-nvrtc");

    private final String file;
    private final String advice;

    CudaLibrary(String file, String advice) {
        this.file = file;
        this.advice = advice;
    }

    /** The file's name, which is also its soname: the Java bindings find a loaded library by it. */
    String file() {
        return file;
    }

    /** What to do when it is missing. */
    String advice() {
        return advice;
    }

    private static final class Advice {
        static final String DRIVER = "install NVIDIA's driver for CUDA 13 (580 or newer)";
        static final String DNN = "pip install nvidia-cudnn-cu13";
    }
}
