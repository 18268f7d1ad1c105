/**
 * Runs that others measured on real GPUs, a file for each set, beside predictions: begin with
 * {@link dev.headroom.validation.real.RealSets}. A reader of another table implements {@code RealFile}, and
 * {@code RealScore} holds a set beside its predictions.
 */
@NullMarked
package dev.headroom.validation.real;

import org.jspecify.annotations.NullMarked;
