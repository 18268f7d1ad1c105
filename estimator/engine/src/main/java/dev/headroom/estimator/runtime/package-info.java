/**
 * PyTorch's eager mode without data: tensors over counted storages, the tape that autograd records, backward passes,
 * and hooks at the points where PyTorch has them. Every byte is asked of the caching allocator, and every event is
 * logged.
 *
 * <p>The words are those of the executor. {@code hold} takes a reference that outlives the running operator and
 * {@code release} gives it back; {@code adopt} makes a held reference a local variable, and {@code free} ends a local
 * variable before its operator ends. A recorder {@code save}s tensors for the backward pass, hooks {@code pack} and
 * {@code unpack} them, and {@code releaseSaved} lets them go.
 */
@NullMarked
package dev.headroom.estimator.runtime;

import org.jspecify.annotations.NullMarked;
