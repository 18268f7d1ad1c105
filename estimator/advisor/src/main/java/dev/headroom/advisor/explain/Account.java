package dev.headroom.advisor.explain;

import java.util.ArrayList;
import java.util.List;

/**
 * A sum with its parts, in bytes. Parts are negative where memory was let go.
 *
 * @param of what is summed up
 * @param bytes the sum of the parts
 * @param parts largest first, as far as they have an order
 */
public record Account(String of, long bytes, List<Part> parts) {
    /** Sentences leave out what is less than a fiftieth. */
    private static final int FINEST = 50;

    /** A part of a sum. */
    public record Part(String name, long bytes) {}

    /**
     * @param parts copied; those of no bytes are left out
     * @throws IllegalArgumentException when they do not add up
     */
    public Account {
        parts = parts.stream().filter(p -> p.bytes() != 0).toList();
        long sum = parts.stream().mapToLong(Part::bytes).sum();
        if (sum != bytes) {
            throw new IllegalArgumentException(of + ": parts add up to " + sum + ", not to " + bytes);
        }
    }

    /** A sum of named groups, and what blocks are larger than the bytes asked for. */
    static Account of(String of, long bytes, List<Part> named) {
        List<Part> parts = new ArrayList<>(named);
        parts.add(new Part(
                "rounding", bytes - named.stream().mapToLong(Part::bytes).sum()));
        return new Account(of, bytes, parts);
    }

    /** {@code +457.76 MiB outputs, -3.00 MiB let go: inputs}: the largest parts, and what is left. */
    String changes(int most) {
        return words(most, true);
    }

    /** {@code 457.76 MiB outputs, 3.00 MiB inputs}: the largest parts, and what is left. */
    String amounts(int most) {
        return words(most, false);
    }

    private String words(int most, boolean signed) {
        List<String> words = new ArrayList<>();
        long rest = bytes;
        for (Part p : parts) {
            if (words.size() < most && counts(p.bytes())) {
                words.add(word(p, signed));
                rest -= p.bytes();
            }
        }
        if (rest != 0 && counts(rest)) {
            words.add(word(new Part("other", rest), signed));
        }
        return String.join(", ", words);
    }

    private static String word(Part p, boolean signed) {
        return (signed ? Words.change(p.bytes()) : Words.size(p.bytes())) + " " + p.name();
    }

    private boolean counts(long part) {
        return Math.abs(part) * FINEST >= Math.abs(bytes);
    }
}
