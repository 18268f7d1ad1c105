/**
 * Losses: of class numbers, and of values that are compared element by element.
 */
package dev.headroom.executor.op.loss;
