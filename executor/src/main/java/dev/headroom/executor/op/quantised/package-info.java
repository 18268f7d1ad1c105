/**
 * The layers of bitsandbytes: products with weights that are kept as codes ({@link
 * dev.headroom.executor.op.quantised.FourBitLinear}, {@link dev.headroom.executor.op.quantised.EightBitLinear}).
 */
package dev.headroom.executor.op.quantised;
