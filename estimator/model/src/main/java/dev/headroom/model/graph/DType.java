package dev.headroom.model.graph;

/** Element types under PyTorch's names, with their size in bytes. */
public enum DType {
    UINT8(1, "uint8"),
    INT8(1, "int8"),
    INT16(2, "int16"),
    INT32(4, "int32"),
    INT64(8, "int64"),
    FLOAT16(2, "float16"),
    FLOAT32(4, "float32"),
    FLOAT64(8, "float64"),
    COMPLEX32(4, "complex32"),
    COMPLEX64(8, "complex64"),
    COMPLEX128(16, "complex128"),
    BOOL(1, "bool"),
    BFLOAT16(2, "bfloat16"),
    UINT16(2, "uint16"),
    UINT32(4, "uint32"),
    UINT64(8, "uint64"),
    FLOAT8_E4M3FN(1, "float8_e4m3fn"),
    FLOAT8_E5M2(1, "float8_e5m2"),
    FLOAT8_E4M3FNUZ(1, "float8_e4m3fnuz"),
    FLOAT8_E5M2FNUZ(1, "float8_e5m2fnuz"),
    FLOAT8_E8M0FNU(1, "float8_e8m0fnu");

    private final int bytes;
    private final String torchName;

    DType(int bytes, String torchName) {
        this.bytes = bytes;
        this.torchName = torchName;
    }

    /** Bytes of one element. */
    public int bytes() {
        return bytes;
    }

    /** The name after {@code torch.}, such as {@code float32}. */
    public String torchName() {
        return torchName;
    }

    public boolean isComplex() {
        return this == COMPLEX32 || this == COMPLEX64 || this == COMPLEX128;
    }

    /** The type of a complex number's two parts; a real type is its own. */
    public DType ofParts() {
        return switch (this) {
            case COMPLEX128 -> FLOAT64;
            case COMPLEX64 -> FLOAT32;
            case COMPLEX32 -> FLOAT16;
            default -> this;
        };
    }

    /** The type of complex numbers that such numbers are the parts of; a complex type is its own. */
    public DType asComplex() {
        return switch (this) {
            case FLOAT64, COMPLEX128 -> COMPLEX128;
            case FLOAT16, COMPLEX32 -> COMPLEX32;
            default -> COMPLEX64;
        };
    }

    public boolean isFloatingPoint() {
        return switch (this) {
            case FLOAT16,
                    FLOAT32,
                    FLOAT64,
                    BFLOAT16,
                    FLOAT8_E4M3FN,
                    FLOAT8_E5M2,
                    FLOAT8_E4M3FNUZ,
                    FLOAT8_E5M2FNUZ,
                    FLOAT8_E8M0FNU -> true;
            default -> false;
        };
    }

    /** Half precision: the types that autocast lowers to. */
    public boolean isReducedFloat() {
        return this == FLOAT16 || this == BFLOAT16;
    }
}
