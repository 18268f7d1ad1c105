/**
 * Compares predictions from plans of {@code torch.compile} with recordings of the compiled runs that they are of.
 */
@NullMarked
package dev.headroom.validation.compiled;

import org.jspecify.annotations.NullMarked;
