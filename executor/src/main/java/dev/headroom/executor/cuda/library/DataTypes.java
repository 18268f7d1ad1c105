package dev.headroom.executor.cuda.library;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.bytedeco.cuda.global.cudart;

/** Element types as cuBLAS numbers them. */
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
}
