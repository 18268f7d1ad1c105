/** How far predictions are from measurements: errors, verdicts, intervals. */
package dev.headroom.validation.scores;
