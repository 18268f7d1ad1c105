/**
 * Runs that others measured on real GPUs, a file for each set, beside predictions: begin with {@link
 * dev.headroom.validation.real.RealSets}.
 */
@NullMarked
package dev.headroom.validation.real;

import org.jspecify.annotations.NullMarked;
