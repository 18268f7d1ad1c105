/**
 * A graph as the Python program that it was exported from. {@link dev.headroom.estimator.program.Preparation} undoes
 * what tracing did to names, {@link dev.headroom.estimator.program.ModelTensors} brings parameters and buffers to the
 * device, and {@link dev.headroom.estimator.program.GraphRunner} calls one operator after another and lets go of each
 * value when Python's variables would. Lifetimes (package {@code variables}) and types are read off module calls and
 * source lines; the executor does the same by other means, so that neither repeats the other's mistakes.
 */
@NullMarked
package dev.headroom.estimator.program;

import org.jspecify.annotations.NullMarked;
