package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Changes the header of a file of safetensors, whose length it says first; edits of the highest kinds change bytes. */
final class SafetensorsEdits {
    private static final int OF_BYTES = 248;

    private SafetensorsEdits() {}

    /** The file that holds the header alone. */
    static byte[] apply(byte[] header, Program program) {
        List<Edit> inside = new ArrayList<>();
        List<Edit> bytes = new ArrayList<>();
        program.edits().forEach(edit -> (edit.kind() >= OF_BYTES ? bytes : inside).add(edit));
        byte[] json = JsonEdits.apply(header, header, inside);
        byte[] file = ByteBuffer.allocate(Long.BYTES + json.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .array();
        return ByteEdits.apply(file, bytes);
    }
}
