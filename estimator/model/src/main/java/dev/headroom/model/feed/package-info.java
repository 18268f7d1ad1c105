/** How a training script brings its batches to the device: {@link dev.headroom.model.feed.Feeding}. */
@NullMarked
package dev.headroom.model.feed;

import org.jspecify.annotations.NullMarked;
