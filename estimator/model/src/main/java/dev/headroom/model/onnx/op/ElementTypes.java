package dev.headroom.model.onnx.op;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Map;

/** Element types as ONNX counts them (onnx.proto, TensorProto.DataType). */
final class ElementTypes {
    private static final Map<Integer, DType> TYPES = Map.ofEntries(
            Map.entry(1, DType.FLOAT32),
            Map.entry(2, DType.UINT8),
            Map.entry(3, DType.INT8),
            Map.entry(4, DType.UINT16),
            Map.entry(5, DType.INT16),
            Map.entry(6, DType.INT32),
            Map.entry(7, DType.INT64),
            Map.entry(9, DType.BOOL),
            Map.entry(10, DType.FLOAT16),
            Map.entry(11, DType.FLOAT64),
            Map.entry(12, DType.UINT32),
            Map.entry(13, DType.UINT64),
            Map.entry(14, DType.COMPLEX64),
            Map.entry(15, DType.COMPLEX128),
            Map.entry(16, DType.BFLOAT16),
            Map.entry(17, DType.FLOAT8_E4M3FN),
            Map.entry(18, DType.FLOAT8_E4M3FNUZ),
            Map.entry(19, DType.FLOAT8_E5M2),
            Map.entry(20, DType.FLOAT8_E5M2FNUZ));

    private ElementTypes() {}

    /** @throws UserInputException if PyTorch has no such type */
    static DType of(int number, String value) {
        DType type = TYPES.get(number);
        if (type == null) {
            throw new UserInputException(value + " has elements of ONNX's type " + number
                    + ", which PyTorch lacks; export the model with another type");
        }
        return type;
    }
}
