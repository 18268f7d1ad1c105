/**
 * Plays {@code generate()}: a pass over the prompt, then one over each new token, with the cache between them. What a
 * pass does is a {@link dev.headroom.model.generation.GenerationProgram}'s; {@link
 * dev.headroom.estimator.generation.GenerationLoop} picks the graphs and keeps the variables.
 */
@NullMarked
package dev.headroom.estimator.generation;

import org.jspecify.annotations.NullMarked;
