package dev.headroom.validation.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** The fields of a message of protobuf, down to what no longer reads as a message. */
final class Wire {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int DEEPEST = 6;

    /**
     * One field.
     *
     * @param number of a varint
     * @param bytes of a field without {@code inner}
     * @param inner of a field that reads as a message
     */
    record Field(long tag, long number, byte[] bytes, List<Field> inner) {
        int kind() {
            return (int) (tag & 7);
        }

        boolean isMessage() {
            return kind() == BYTES && !inner.isEmpty();
        }

        Field with(long other) {
            return new Field(tag, other, bytes, inner);
        }

        Field with(byte[] other) {
            return new Field(tag, number, other, List.of());
        }

        Field tagged(long other) {
            return new Field(other, number, bytes, inner);
        }

        Field copy() {
            return new Field(tag, number, bytes, copies(inner));
        }

        private static List<Field> copies(List<Field> fields) {
            List<Field> out = new ArrayList<>();
            fields.forEach(f -> out.add(f.copy()));
            return out;
        }
    }

    private final byte[] in;
    private int at;

    private Wire(byte[] in) {
        this.in = in;
    }

    /** The fields; none when these bytes are no message. */
    static List<Field> read(byte[] message) {
        return read(message, 0);
    }

    private static List<Field> read(byte[] message, int depth) {
        Wire wire = new Wire(message);
        List<Field> out = new ArrayList<>();
        try {
            while (wire.at < message.length) {
                out.add(wire.field(depth));
            }
            return out;
        } catch (IndexOutOfBoundsException e) {
            return List.of();
        }
    }

    private Field field(int depth) {
        long tag = varint();
        return switch ((int) (tag & 7)) {
            case VARINT -> new Field(tag, varint(), new byte[0], List.of());
            case FIXED64 -> new Field(tag, 0, bytes(Long.BYTES), List.of());
            case FIXED32 -> new Field(tag, 0, bytes(Integer.BYTES), List.of());
            case BYTES -> {
                byte[] content = bytes(varint());
                yield new Field(tag, 0, content, depth < DEEPEST ? read(content, depth + 1) : List.of());
            }
            default -> throw new IndexOutOfBoundsException();
        };
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in[at++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IndexOutOfBoundsException();
    }

    private byte[] bytes(long length) {
        if (length < 0 || length > in.length - at) {
            throw new IndexOutOfBoundsException();
        }
        at += (int) length;
        return java.util.Arrays.copyOfRange(in, at - (int) length, at);
    }

    /** The message. */
    static byte[] write(List<Field> fields) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : fields) {
            varint(out, field.tag());
            if (field.kind() == VARINT) {
                varint(out, field.number());
                continue;
            }
            byte[] content = field.isMessage() ? write(field.inner()) : field.bytes();
            if (field.kind() == BYTES) {
                varint(out, content.length);
            }
            out.writeBytes(content);
        }
        return out.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while (rest >>> 7 != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
