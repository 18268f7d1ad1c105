package dev.headroom.model.compiled;

import dev.headroom.model.graph.TensorMeta;
import org.jspecify.annotations.Nullable;

/**
 * A matrix product whose sizes Inductor may pad to multiples of what tensor cores take; it decides by running both
 * (torch/_inductor/fx_passes/pad_mm.py).
 *
 * @param left m × k, or a batch of them
 * @param right k × n, or a batch of them
 * @param added what is added to the product; {@code null} for nothing
 */
public record Product(
        TensorMeta left, TensorMeta right, @Nullable TensorMeta added) {}
