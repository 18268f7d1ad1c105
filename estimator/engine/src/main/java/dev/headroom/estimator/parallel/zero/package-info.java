/**
 * DeepSpeed's ZeRO (deepspeed/runtime/zero): {@link dev.headroom.estimator.parallel.zero.DeepSpeedEngine} does what
 * {@code deepspeed.initialize} and the engine's {@code forward}, {@code backward} and {@code step} do. Stages 1 and 2
 * keep all parameters in one flat buffer, of which each rank steps a part.
 */
package dev.headroom.estimator.parallel.zero;
