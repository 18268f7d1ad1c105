/**
 * What all stages of ZeRO share: the settings of a run, arithmetic of steps, and what a stage is to the engine. A stage
 * implements {@link dev.headroom.estimator.parallel.zero.base.ZeroStage}.
 */
@NullMarked
package dev.headroom.estimator.parallel.zero.base;

import org.jspecify.annotations.NullMarked;
