/**
 * How far predictions are from measurements: relative errors, verdicts, coverage of intervals, Brier scores. Pure
 * functions of outcomes.
 */
@NullMarked
package dev.headroom.validation.scores;

import org.jspecify.annotations.NullMarked;
