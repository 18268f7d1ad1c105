package dev.headroom.allocator.snapshot;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes opcodes of pickle protocol 4, and only those that Python itself emits for plain data. */
final class PickleOutput {
    private final OutputStream out;
    private final Object2IntOpenHashMap<Object> memo = new Object2IntOpenHashMap<>();
    private int remembered;

    PickleOutput(OutputStream out) throws IOException {
        this.out = new BufferedOutputStream(out, 1 << 16);
        memo.defaultReturnValue(-1);
        this.out.write(0x80);
        this.out.write(4);
    }

    void mark() throws IOException {
        out.write('(');
    }

    void beginDict() throws IOException {
        out.write('}');
        mark();
    }

    void endDict() throws IOException {
        out.write('u');
    }

    void emptyList() throws IOException {
        out.write(']');
    }

    void appends() throws IOException {
        out.write('e');
    }

    void tuple2() throws IOException {
        out.write(0x86);
    }

    void bool(boolean value) throws IOException {
        out.write(value ? 0x88 : 0x89);
    }

    void number(double value) throws IOException {
        out.write('G');
        long bits = Double.doubleToLongBits(value);
        for (int i = 56; i >= 0; i -= 8) {
            out.write((int) (bits >>> i));
        }
    }

    void integer(long value) throws IOException {
        if (value >= 0 && value < 1 << 8) {
            out.write('K');
            little(value, 1);
        } else if (value >= 0 && value < 1 << 16) {
            out.write('M');
            little(value, 2);
        } else if (value == (int) value) {
            out.write('J');
            little(value, 4);
        } else {
            int bytes = value < 0 ? 8 : 1 + (64 - Long.numberOfLeadingZeros(value)) / 8;
            out.write(0x8a);
            out.write(bytes);
            little(value, Math.min(bytes, 8));
            if (bytes == 9) {
                out.write(0);
            }
        }
    }

    /** Strings are written once and referred to afterwards. */
    void string(String value) throws IOException {
        if (recall(value)) {
            return;
        }
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (utf8.length < 256) {
            out.write(0x8c);
            out.write(utf8.length);
        } else {
            out.write('X');
            little(utf8.length, 4);
        }
        out.write(utf8);
        remember(value);
    }

    /** Writes a reference to a value that {@link #remember} noted; false when the value is new. */
    boolean recall(Object value) throws IOException {
        int index = memo.getInt(value);
        if (index < 0) {
            return false;
        }
        out.write(index < 256 ? 'h' : 'j');
        little(index, index < 256 ? 1 : 4);
        return true;
    }

    /** Notes that the value just written is this one. */
    void remember(Object value) throws IOException {
        out.write(0x94);
        memo.put(value, remembered++);
    }

    void finish() throws IOException {
        out.write('.');
        out.flush();
    }

    private void little(long value, int bytes) throws IOException {
        for (int i = 0; i < bytes; i++) {
            out.write((int) (value >>> 8 * i));
        }
    }
}
