/**
 * Units of a model whose parameters are gathered and freed together, as both kinds of FullyShardedDataParallel have
 * them: each repeated block is one, and the rest of the model another.
 * {@link dev.headroom.estimator.parallel.unit.Units} divides a model;
 * {@link dev.headroom.estimator.parallel.unit.UnitOrder} is what both kinds share while it trains.
 */
@NullMarked
package dev.headroom.estimator.parallel.unit;

import org.jspecify.annotations.NullMarked;
