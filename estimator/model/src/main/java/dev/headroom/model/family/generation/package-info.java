/**
 * The programs of {@code generate()} around a model: what happens before, between and after its forward passes. Begin
 * with {@link dev.headroom.model.family.generation.GreedySearch}.
 */
@NullMarked
package dev.headroom.model.family.generation;

import org.jspecify.annotations.NullMarked;
