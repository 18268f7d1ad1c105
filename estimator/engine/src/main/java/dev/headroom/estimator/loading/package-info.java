/**
 * How a library loads a model before a script trains it, in phases of its own: {@link
 * dev.headroom.estimator.loading.Loading} runs them. {@link dev.headroom.estimator.loading.DeviceMap} reads a
 * checkpoint weight by weight to the GPU, {@link dev.headroom.estimator.loading.Quantiser} makes bitsandbytes' storage
 * of one, and {@link dev.headroom.estimator.loading.KbitPreparation} gives all other weights full precision.
 */
@NullMarked
package dev.headroom.estimator.loading;

import org.jspecify.annotations.NullMarked;
