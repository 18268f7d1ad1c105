/**
 * Compares predictions from plans of {@code torch.compile} with recordings of the compiled runs that they are of.
 * {@link dev.headroom.validation.compiled.CompiledReport} does so for plans,
 * {@link dev.headroom.validation.compiled.EstimateReport} for archives alone.
 */
@NullMarked
package dev.headroom.validation.compiled;

import org.jspecify.annotations.NullMarked;
