/**
 * The training loop, run for real: phases, losses, the data that it feeds. Begin with
 * {@link dev.headroom.executor.train.Training}; a {@link dev.headroom.executor.train.Wrapper} trains a model together
 * with other ranks.
 */
@NullMarked
package dev.headroom.executor.train;

import org.jspecify.annotations.NullMarked;
