/**
 * The layers of bitsandbytes: products with weights that are kept as codes ({@link
 * dev.headroom.executor.op.quantised.FourBitLinear}, {@code EightBitLinear}). They keep and restore what bitsandbytes
 * keeps and restores, at the same points.
 */
@NullMarked
package dev.headroom.executor.op.quantised;

import org.jspecify.annotations.NullMarked;
