/**
 * {@code nn.DataParallel}: one process splits each batch over its GPUs. Begin with
 * {@link dev.headroom.estimator.parallel.dp.DataParallel}.
 */
@NullMarked
package dev.headroom.estimator.parallel.dp;

import org.jspecify.annotations.NullMarked;
