/**
 * Stages 1 and 2 of ZeRO: all parameters lie in one flat buffer, of which each rank steps a part; gradients are
 * reduced in buckets (deepspeed/runtime/zero/stage_1_and_2.py). Begin with {@code FlatStage}.
 */
@NullMarked
package dev.headroom.estimator.parallel.zero.flat;

import org.jspecify.annotations.NullMarked;
