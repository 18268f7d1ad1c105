/** Runs a model for real, or for its memory alone, and says what it took; {@code headroom measure}. */
@NullMarked
package dev.headroom.executor.measure;

import org.jspecify.annotations.NullMarked;
