package dev.headroom.allocator.snapshot;

/**
 * A place in the program: one line of a stack.
 *
 * @param name function, or the module path where Headroom wrote the snapshot
 * @param filename its file; may be empty
 * @param line 0 when not known
 */
public record Frame(String name, String filename, int line) {}
