/**
 * Predictions, advice and explanations as JSON, as a screen of text and as tables. Reports read results and compute
 * nothing about memory.
 */
@NullMarked
package dev.headroom.app.report;

import org.jspecify.annotations.NullMarked;
