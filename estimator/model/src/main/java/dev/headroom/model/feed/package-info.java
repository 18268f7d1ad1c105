/**
 * How a training script brings its batches to the device: {@link dev.headroom.model.feed.Feeding}.
 * {@link dev.headroom.model.feed.DataKind} names the kinds; the engine plays them.
 */
@NullMarked
package dev.headroom.model.feed;

import org.jspecify.annotations.NullMarked;
