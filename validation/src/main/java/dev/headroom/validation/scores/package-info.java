/**
 * How far predictions are from measurements: relative errors, verdicts, coverage of intervals, Brier scores. Pure
 * functions of outcomes.
 */
package dev.headroom.validation.scores;
