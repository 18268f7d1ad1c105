package dev.headroom.executor.cuda.library;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.cuda.global.cudnn;

/** Element types as the libraries number them. */
final class DataTypes {
    private DataTypes() {}

    /** {@code cudaDataType}, as cuBLAS takes it. */
    static int cuda(DType type) {
        return switch (type) {
            case FLOAT32 -> cudart.CUDA_R_32F;
            case FLOAT64 -> cudart.CUDA_R_64F;
            case FLOAT16 -> cudart.CUDA_R_16F;
            case BFLOAT16 -> cudart.CUDA_R_16BF;
            default -> throw new UserInputException("cuBLAS does not compute with " + type.torchName());
        };
    }

    /** {@code cudnnDataType_t}. */
    static int dnn(DType type) {
        return switch (type) {
            case FLOAT32 -> cudnn.CUDNN_DATA_FLOAT;
            case FLOAT64 -> cudnn.CUDNN_DATA_DOUBLE;
            case FLOAT16 -> cudnn.CUDNN_DATA_HALF;
            case BFLOAT16 -> cudnn.CUDNN_DATA_BFLOAT16;
            default -> throw new UserInputException("cuDNN does not compute with " + type.torchName());
        };
    }
}
