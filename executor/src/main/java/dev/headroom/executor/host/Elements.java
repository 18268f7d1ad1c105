package dev.headroom.executor.host;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;

/** Elements of one type in a buffer, as doubles. Writing rounds to the nearest value of the type, ties to even. */
interface Elements {
    /** @param at first byte */
    double get(ByteBuffer b, int at);

    /** @param at first byte */
    void set(ByteBuffer b, int at, double value);

    /** Access to a type. */
    static Elements of(DType type) {
        return switch (type) {
            case FLOAT32 -> access(ByteBuffer::getFloat, (b, at, v) -> b.putFloat(at, (float) v));
            case FLOAT64 -> access(ByteBuffer::getDouble, ByteBuffer::putDouble);
            case FLOAT16 -> access((b, at) -> Half.toDouble(b.getShort(at)), (b, at, v) -> b.putShort(at, Half.of(v)));
            case BFLOAT16 ->
                access((b, at) -> Bfloat16.toDouble(b.getShort(at)), (b, at, v) -> b.putShort(at, Bfloat16.of(v)));
            case INT64 -> access(ByteBuffer::getLong, (b, at, v) -> b.putLong(at, (long) v));
            case INT32 -> access(ByteBuffer::getInt, (b, at, v) -> b.putInt(at, (int) v));
            case INT16 -> access(ByteBuffer::getShort, (b, at, v) -> b.putShort(at, (short) (long) v));
            case INT8 -> access(ByteBuffer::get, (b, at, v) -> b.put(at, (byte) (long) v));
            case UINT8 -> access((b, at) -> b.get(at) & 0xFF, (b, at, v) -> b.put(at, (byte) (long) v));
            case BOOL -> access(ByteBuffer::get, (b, at, v) -> b.put(at, (byte) (v != 0 ? 1 : 0)));
            default -> throw new UserInputException("the host backend does not compute with " + type.torchName());
        };
    }

    /** Reads an element. */
    interface Reader {
        double get(ByteBuffer b, int at);
    }

    /** Writes an element. */
    interface Writer {
        void set(ByteBuffer b, int at, double value);
    }

    private static Elements access(Reader reader, Writer writer) {
        return new Elements() {
            @Override
            public double get(ByteBuffer b, int at) {
                return reader.get(b, at);
            }

            @Override
            public void set(ByteBuffer b, int at, double value) {
                writer.set(b, at, value);
            }
        };
    }
}
