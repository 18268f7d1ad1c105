/** Calibrates intervals and probabilities with published measurements, and tells how well they hold on what was left out. */
package dev.headroom.validation.certainty;
