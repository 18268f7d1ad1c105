/**
 * DeepSpeed's ZeRO (deepspeed/runtime/zero): {@link dev.headroom.estimator.parallel.zero.DeepSpeedEngine} does what
 * {@code deepspeed.initialize} and the engine's {@code forward}, {@code backward} and {@code step} do. {@code flat} has
 * stages 1 and 2, {@code sharded} stage 3, {@code base} what they share.
 */
@NullMarked
package dev.headroom.estimator.parallel.zero;

import org.jspecify.annotations.NullMarked;
