/**
 * Figures that others measured on real GPUs and published, beside what Headroom predicts for the same runs: eight
 * systems from articles and threads, and the runs of the xMem repository. Each system is a class that names its
 * source, plays its rows, and prints its table.
 */
@NullMarked
package dev.headroom.validation.published;

import org.jspecify.annotations.NullMarked;
