package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Changes the instructions of a pickle, one by one; edits of the highest kinds change bytes. */
final class PickleEdits {
    private static final int OF_BYTES = 248;

    /** Edits of lower kinds put an instruction of the same kind. */
    private static final int OF_ANY_KIND = 176;

    /** Instructions that stand alone or take little. */
    private static final byte[] OTHERS = {
        '(',
        '0',
        '1',
        '2',
        'N',
        ')',
        ']',
        '}',
        't',
        'l',
        'd',
        'a',
        'e',
        's',
        'u',
        'c',
        'R',
        'b',
        'o',
        'Q',
        '.',
        'I',
        'F',
        'L',
        'p',
        'g',
        'V',
        (byte) 0x85,
        (byte) 0x86,
        (byte) 0x87,
        (byte) 0x88,
        (byte) 0x93,
        (byte) 0x94,
        (byte) 0x97
    };

    private static final long[] NUMBERS = {
        0, 1, -1, 2, 255, 256, 511, 65_537, Integer.MAX_VALUE, 1L << 31, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private PickleEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<byte[]> steps = steps(seed);
        List<Edit> bytes = new ArrayList<>();
        for (Edit edit : program.edits()) {
            if (edit.kind() >= OF_BYTES || steps.isEmpty()) {
                bytes.add(edit);
            } else if (edit.kind() < OF_ANY_KIND) {
                alike(steps, edit);
            } else {
                change(steps, edit);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        steps.forEach(out::writeBytes);
        return ByteEdits.apply(out.toByteArray(), bytes);
    }

    /** The first number or text from a place on becomes another. */
    private static void alike(List<byte[]> steps, Edit edit) {
        int at = Edit.of(edit.place(), steps.size());
        while (at < steps.size() && kind(steps.get(at)) == 0) {
            at++;
        }
        if (at == steps.size()) {
            return;
        }
        char kind = kind(steps.get(at));
        if (kind == 'K' && edit.kind() % 2 == 0) {
            steps.set(at, number(NUMBERS[Edit.of(edit.value(), NUMBERS.length)]));
            return;
        }
        List<byte[]> cousins = steps.stream().filter(step -> kind(step) == kind).toList();
        steps.set(at, cousins.get(Edit.of(edit.value(), cousins.size())));
    }

    /** K for an instruction that gives a number, X for a text, h for what was given before, else 0. */
    private static char kind(byte[] step) {
        return switch (step[0] & 0xff) {
            case 'K', 'M', 'J', 0x8a -> 'K';
            case 'X', 0x8c -> 'X';
            case 'h', 'j' -> 'h';
            default -> 0;
        };
    }

    private static void change(List<byte[]> steps, Edit edit) {
        int at = Edit.of(edit.place(), steps.size());
        byte[] other = steps.get(Edit.of(edit.value(), steps.size()));
        switch (Edit.of(edit.kind(), 8)) {
            case 0, 1 -> steps.set(at, number(NUMBERS[Edit.of(edit.value(), NUMBERS.length)]));
            case 2 -> steps.set(at, other);
            case 3 -> steps.remove(at);
            case 4 -> steps.add(at, steps.get(at));
            case 5 -> steps.add(at, other);
            case 6 -> steps.set(at, new byte[] {OTHERS[Edit.of(edit.value(), OTHERS.length)]});
            default -> {
                byte[] changed = steps.get(at).clone();
                changed[Edit.of(edit.value() >>> 8, changed.length)] = (byte) edit.value();
                steps.set(at, changed);
            }
        }
    }

    /** Pushes a number. */
    private static byte[] number(long value) {
        return ByteBuffer.allocate(2 + Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0x8a)
                .put((byte) Long.BYTES)
                .putLong(value)
                .array();
    }

    private static List<byte[]> steps(byte[] pickle) {
        List<byte[]> out = new ArrayList<>();
        for (int at = 0; at < pickle.length; ) {
            int end = Math.min(pickle.length, at + 1 + operands(pickle, at));
            out.add(Arrays.copyOfRange(pickle, at, end));
            at = end;
        }
        return out;
    }

    /** The bytes that belong to an instruction of those that Python's pickler writes. */
    private static int operands(byte[] pickle, int at) {
        int next = at + 1 < pickle.length ? pickle[at + 1] & 0xff : 0;
        return switch (pickle[at] & 0xff) {
            case 0x80, 'K', 'q', 'h' -> 1;
            case 'M' -> 2;
            case 'J', 'r', 'j' -> 4;
            case 'G', 0x95 -> 8;
            case 0x8a, 0x8c -> 1 + next;
            default -> 0;
        };
    }
}
