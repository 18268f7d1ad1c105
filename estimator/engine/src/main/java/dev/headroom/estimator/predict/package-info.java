/**
 * Answers the question what a run would take. {@link dev.headroom.estimator.predict.RunPlayer} plays the run on a
 * simulated device and {@link dev.headroom.estimator.predict.RunCollector} finishes it into a
 * {@link dev.headroom.estimator.predict.Simulation}, plain data without the runtime that made it. The prediction is
 * read off that: peaks, categories, layers, the least memory that does, and how sure all of it is.
 */
@NullMarked
package dev.headroom.estimator.predict;

import org.jspecify.annotations.NullMarked;
