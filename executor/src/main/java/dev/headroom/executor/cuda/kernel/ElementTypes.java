package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** Element types as kernels name them. */
public final class ElementTypes {
    private ElementTypes() {}

    /**
     * The type of CUDA C.
     *
     * @throws UserInputException when no kernel computes with it
     */
    static String name(DType type) {
        return switch (type) {
            case FLOAT32 -> "float";
            case FLOAT64 -> "double";
            case FLOAT16 -> "__half";
            case BFLOAT16 -> "__nv_bfloat16";
            case INT64 -> "int64_t";
            case INT32 -> "int";
            case INT16 -> "short";
            case INT8 -> "signed char";
            case UINT8 -> "unsigned char";
            case BOOL -> "bool";
            default -> throw new UserInputException("the cuda backend does not compute with " + type.torchName());
        };
    }

    /** What kernels compute in: double precision as soon as single precision cannot hold one of the types. */
    static String real(DType... types) {
        for (DType type : types) {
            if (type == DType.FLOAT64 || type == DType.INT64 || type == DType.INT32) {
                return "double";
            }
        }
        return "float";
    }

    public static DType[] of(Tensor... tensors) {
        DType[] types = new DType[tensors.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = tensors[i].dtype();
        }
        return types;
    }
}
