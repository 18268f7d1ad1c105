/**
 * What a run of {@code generate()} is made of: a program of graphs over one model, and the variables that live from one
 * of them to the next ({@link dev.headroom.model.generation.GenerationProgram}).
 */
@NullMarked
package dev.headroom.model.generation;

import org.jspecify.annotations.NullMarked;
