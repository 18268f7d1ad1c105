/**
 * Runs a model for real, or for its memory alone, and says what it took; {@code headroom measure}. Begin with
 * {@link dev.headroom.executor.measure.Measurer}; another backend implements
 * {@link dev.headroom.executor.measure.BackendProvider}.
 */
@NullMarked
package dev.headroom.executor.measure;

import org.jspecify.annotations.NullMarked;
