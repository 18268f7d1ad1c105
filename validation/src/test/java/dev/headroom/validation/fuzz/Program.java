package dev.headroom.validation.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What the fuzzer's bytes say: a reader, one of its seeds, and edits of eight bytes each. A change of one byte changes
 * one of these, so that what covered something new stays near what it was.
 */
record Program(Reader reader, int seed, List<Edit> edits) {
    private static final int HEAD = 2;
    private static final int EDIT = 8;
    private static final int MOST_EDITS = 12;

    /**
     * One change.
     *
     * @param place which part, counted round
     * @param kind what is done to it
     * @param value with what
     */
    record Edit(int place, int kind, int value) {
        /** One of so many. */
        static int of(int number, int many) {
            return Integer.remainderUnsigned(number, Math.max(many, 1));
        }
    }

    static Program of(byte[] bytes) {
        Reader[] readers = Reader.values();
        Reader reader = readers[bytes.length > 0 ? (bytes[0] & 0xff) % readers.length : 0];
        int seed = bytes.length > 1 ? (bytes[1] & 0xff) % reader.seeds() : 0;
        List<Edit> edits = new ArrayList<>();
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        for (int at = HEAD; at + EDIT <= bytes.length && edits.size() < MOST_EDITS; at += EDIT) {
            int head = rest.getInt(at);
            edits.add(new Edit(head >>> 8, head & 0xff, rest.getInt(at + Integer.BYTES)));
        }
        return new Program(reader, seed, edits);
    }

    /** The file. */
    byte[] file() {
        return reader.form().edited(reader.seed(seed), this);
    }

    /** Another good file of the reader, or the same where it has one alone: parts of it are tried in the first. */
    byte[] donor() {
        return reader.seed((seed + 1) % reader.seeds());
    }
}
