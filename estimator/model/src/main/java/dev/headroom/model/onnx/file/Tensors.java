package dev.headroom.model.onnx.file;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.headroom.model.onnx.file.OnnxFile.Tensor;
import it.unimi.dsi.fastutil.doubles.DoubleArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads tensors: their sizes, and of small ones the elements. */
final class Tensors {
    /** Shapes, axes, paddings and scalars have fewer elements. */
    private static final int FEW = 1024;

    private static final int FLOAT = 1;
    private static final int UINT8 = 2;
    private static final int INT8 = 3;
    private static final int INT32 = 6;
    private static final int INT64 = 7;
    private static final int BOOL = 9;
    private static final int DOUBLE = 11;

    private Tensors() {}

    static Tensor read(CodedInputStream in) throws IOException {
        LongArrayList sizes = new LongArrayList();
        LongArrayList numbers = new LongArrayList();
        DoubleArrayList reals = new DoubleArrayList();
        int[] type = {0};
        String[] name = {""};
        byte[][] raw = {new byte[0]};
        Fields.message(in, (field, tensor) -> {
            switch (field) {
                case 1 -> Fields.repeated(tensor, WireFormat.WIRETYPE_VARINT, i -> sizes.add(i.readInt64()));
                case 2 -> type[0] = tensor.readInt32();
                case 4 -> Fields.repeated(tensor, WireFormat.WIRETYPE_FIXED32, i -> few(reals, i.readFloat()));
                case 5, 7, 11 -> Fields.repeated(tensor, WireFormat.WIRETYPE_VARINT, i -> few(numbers, i.readInt64()));
                case 8 -> name[0] = tensor.readString();
                case 9 -> raw[0] = small(tensor);
                case 10 -> Fields.repeated(tensor, WireFormat.WIRETYPE_FIXED64, i -> few(reals, i.readDouble()));
                default -> tensor.skipField(tensor.getLastTag());
            }
        });
        decode(type[0], raw[0], numbers, reals);
        long count = 1;
        for (long size : sizes) {
            if (size < 0) {
                throw new IllegalArgumentException("the tensor " + name[0] + " has a negative size");
            }
            if (size > 0 && count > Long.MAX_VALUE / size) {
                throw new IllegalArgumentException("the tensor " + name[0] + " has more elements than memory holds");
            }
            count *= size;
        }
        boolean real = type[0] == FLOAT || type[0] == DOUBLE;
        return new Tensor(
                name[0],
                type[0],
                sizes.toLongArray(),
                !real && numbers.size() == count ? numbers.toLongArray() : null,
                real && reals.size() == count ? reals.toDoubleArray() : null);
    }

    private static void few(DoubleArrayList list, double value) {
        if (list.size() <= FEW) {
            list.add(value);
        }
    }

    private static void few(LongArrayList list, long value) {
        if (list.size() <= FEW) {
            list.add(value);
        }
    }

    /** Bytes of a small tensor; those of a large one are passed over. */
    private static byte[] small(CodedInputStream in) throws IOException {
        int length = in.readRawVarint32();
        if (length < 0 || length > FEW * 8) {
            in.skipRawBytes(length);
            return new byte[0];
        }
        return in.readRawBytes(length);
    }

    private static void decode(int type, byte[] raw, LongArrayList numbers, DoubleArrayList reals) {
        ByteBuffer bytes = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
        int width =
                switch (type) {
                    case FLOAT, INT32 -> 4;
                    case DOUBLE, INT64 -> 8;
                    case UINT8, INT8, BOOL -> 1;
                    default -> Integer.MAX_VALUE;
                };
        while (bytes.remaining() >= width) {
            switch (type) {
                case FLOAT -> few(reals, bytes.getFloat());
                case DOUBLE -> few(reals, bytes.getDouble());
                case INT32 -> few(numbers, bytes.getInt());
                case INT64 -> few(numbers, bytes.getLong());
                case UINT8, BOOL -> few(numbers, bytes.get() & 0xff);
                default -> few(numbers, bytes.get());
            }
        }
    }
}
