package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** Changes bytes. */
final class ByteEdits {
    private ByteEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        return apply(seed, program.edits());
    }

    static byte[] apply(byte[] seed, List<Edit> edits) {
        byte[] bytes = seed.clone();
        for (Edit edit : edits) {
            bytes = changed(bytes, edit);
        }
        return bytes;
    }

    private static byte[] changed(byte[] bytes, Edit edit) {
        int at = Edit.of(edit.place(), bytes.length + 1);
        int length = Math.min(Edit.of(edit.value() >>> 8, 64), bytes.length - at);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, at);
        switch (Edit.of(edit.kind(), 5)) {
            case 0 -> out.write(edit.value());
            case 1 -> length = Math.max(length, 1);
            case 2 -> out.write(bytes, at, length);
            case 3 -> length = edit.value() % 8 == 0 ? bytes.length - at : 0;
            default -> {
                for (int i = 0; i < length; i++) {
                    out.write(edit.value() % 2 == 0 ? 0xff : 0);
                }
            }
        }
        int rest = Math.min(bytes.length, at + (Edit.of(edit.kind(), 5) == 0 ? 1 : length));
        if (Edit.of(edit.kind(), 5) == 2) {
            rest = at;
        }
        out.write(bytes, rest, bytes.length - rest);
        return out.toByteArray();
    }
}
