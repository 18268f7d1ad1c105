/**
 * Measured training runs beside their predictions, whatever was measured and wherever it was written down. {@link
 * MeasuredRuns} is a source of runs; {@link Validation} predicts every run of every source; a new kind of measurement
 * implements the one and is named in {@link Sources}.
 */
@NullMarked
package dev.headroom.validation.runs;

import org.jspecify.annotations.NullMarked;
