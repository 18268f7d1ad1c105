/**
 * A model whose layers are divided over the GPUs of one process by hand. Begin with
 * {@link dev.headroom.estimator.parallel.mp.SplitModel}.
 */
@NullMarked
package dev.headroom.estimator.parallel.mp;

import org.jspecify.annotations.NullMarked;
