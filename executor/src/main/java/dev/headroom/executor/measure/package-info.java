/** Runs a model for real, or for its memory alone, and says what it took; {@code headroom measure}. */
package dev.headroom.executor.measure;
