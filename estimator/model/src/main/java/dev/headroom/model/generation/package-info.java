/**
 * What a run of {@code generate()} is made of: a program of graphs over one model, and the variables that live from one
 * of them to the next ({@link dev.headroom.model.generation.GenerationProgram}). Graphs differ by how many tokens the
 * cache holds, so a program has one for each stretch of steps that are alike.
 */
@NullMarked
package dev.headroom.model.generation;

import org.jspecify.annotations.NullMarked;
