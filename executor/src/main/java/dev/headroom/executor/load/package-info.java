/**
 * Models that a library loads before the script trains them: the phases {@code load} and {@code prepare}. {@link
 * dev.headroom.executor.load.PretrainedModel} is where to begin.
 */
@NullMarked
package dev.headroom.executor.load;

import org.jspecify.annotations.NullMarked;
