package dev.headroom.advisor.checkpoints;

import org.jspecify.annotations.Nullable;

/**
 * A piece of the forward pass: the call of a module, or operators between such calls.
 *
 * @param path of the module, or {@code null} for operators between
 * @param from first node
 * @param to one after the last node
 */
record Stage(@Nullable String path, int from, int to) {
    boolean isModule() {
        return path != null;
    }
}
