/**
 * What a training step, or a pass of it, begins with, written down so that two beginnings can be compared: what begins
 * alike does the same. {@link dev.headroom.estimator.repeat.Beginning} is the list, to which every part of the runtime
 * adds itself; {@code loop.RepeatedSteps} plays the events of one again instead of its operators.
 */
@NullMarked
package dev.headroom.estimator.repeat;

import org.jspecify.annotations.NullMarked;
