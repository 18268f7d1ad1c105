package dev.headroom.explain;

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
}
