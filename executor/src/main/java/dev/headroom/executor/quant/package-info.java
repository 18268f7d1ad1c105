/**
 * Quantised values: the tables that codes are looked up in ({@link dev.headroom.executor.quant.CodeBook}), blocks of
 * codes with a scale each ({@link dev.headroom.executor.quant.Blocks}), and the tensors that hold them ({@link
 * dev.headroom.executor.quant.PackedWeight}). All arithmetic is on the host's own arrays, so that every backend has it.
 */
@NullMarked
package dev.headroom.executor.quant;

import org.jspecify.annotations.NullMarked;
