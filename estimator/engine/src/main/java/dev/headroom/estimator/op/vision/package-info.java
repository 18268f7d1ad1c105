/**
 * What models compute that see images of any size. How many images there are is the batch's affair, and of each the
 * library makes a loop's round, so that one call of the graph stands for all rounds; {@code VisionRules} lists them.
 */
@NullMarked
package dev.headroom.estimator.op.vision;

import org.jspecify.annotations.NullMarked;
