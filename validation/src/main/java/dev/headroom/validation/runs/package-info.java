/** Measured training runs beside their predictions, whatever was measured and wherever it was written down. */
package dev.headroom.validation.runs;
