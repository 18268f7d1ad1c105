/** What all stages of ZeRO share: the settings of a run, arithmetic of steps, and what a stage is to the engine. */
package dev.headroom.estimator.parallel.zero.base;
