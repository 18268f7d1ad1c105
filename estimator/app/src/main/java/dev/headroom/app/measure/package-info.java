/**
 * {@code headroom measure}: runs a model on a backend of the executor and puts what it took beside the prediction.
 * This is the one place of the application where prediction and measurement meet. {@link Comparison} pairs the phases;
 * {@link Refusals} names options that a prediction can honour and a run cannot.
 */
@NullMarked
package dev.headroom.app.measure;

import org.jspecify.annotations.NullMarked;
