/**
 * FullyShardedDataParallel of the first kind (torch/distributed/fsdp/fully_sharded_data_parallel.py). A unit's
 * parameters lie one after another in a flat one, of which each rank has a part; the whole is gathered into memory that
 * comes and goes, and modules use it through views. Begin with
 * {@link dev.headroom.estimator.parallel.fsdp1.FullyShardedDataParallel}.
 */
@NullMarked
package dev.headroom.estimator.parallel.fsdp1;

import org.jspecify.annotations.NullMarked;
