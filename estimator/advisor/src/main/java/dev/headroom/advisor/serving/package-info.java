/**
 * How many requests and tokens a card serves: {@link dev.headroom.advisor.serving.ServeCapacity} searches by playing
 * runs. Each answer rests on a run that fits, next to one that does not.
 */
@NullMarked
package dev.headroom.advisor.serving;

import org.jspecify.annotations.NullMarked;
