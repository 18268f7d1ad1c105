/**
 * How many requests and tokens a card serves: {@link dev.headroom.advisor.serving.ServeCapacity} searches by playing
 * runs.
 */
@NullMarked
package dev.headroom.advisor.serving;

import org.jspecify.annotations.NullMarked;
