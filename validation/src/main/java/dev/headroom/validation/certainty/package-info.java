/**
 * Calibrates intervals and probabilities with published measurements, and tells how well they hold on models and cards
 * that were left out. Its result is the file of deviations that ships with the engine.
 */
@NullMarked
package dev.headroom.validation.certainty;

import org.jspecify.annotations.NullMarked;
