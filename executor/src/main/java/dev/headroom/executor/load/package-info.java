/**
 * Models that a library loads before the script trains them: the phases {@code load} and {@code prepare}. {@link
 * dev.headroom.executor.load.PretrainedModel} is where to begin.
 */
package dev.headroom.executor.load;
