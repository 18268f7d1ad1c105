package dev.headroom.executor.cudnn;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.model.graph.DType;
import org.bytedeco.cuda.global.cudnn;

/** Element types as cuDNN numbers them, {@code cudnnDataType_t}. */
public final class DnnType {
    private DnnType() {}

    /** @throws CudaException when there is none */
    public static int of(DType type) {
        return switch (type) {
            case FLOAT32 -> cudnn.CUDNN_DATA_FLOAT;
            case FLOAT64 -> cudnn.CUDNN_DATA_DOUBLE;
            case FLOAT16 -> cudnn.CUDNN_DATA_HALF;
            case BFLOAT16 -> cudnn.CUDNN_DATA_BFLOAT16;
            default -> throw new CudaException("cuDNN does not compute with " + type.torchName());
        };
    }
}
