package dev.headroom.estimator.parallel.pipeline;

/** In which order a rank's stages work. */
@FunctionalInterface
interface Schedule {
    /** _step_microbatches, after the stages were initialised. */
    void run(Step step);
}
