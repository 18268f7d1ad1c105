/**
 * What a run says about quantised weights and about how its model is loaded ({@link
 * dev.headroom.model.quant.Quantisation}), and how bitsandbytes stores such weights ({@link
 * dev.headroom.model.quant.FourBit}). {@link dev.headroom.model.quant.QuantKind} lists the kinds; a new one begins
 * there.
 */
@NullMarked
package dev.headroom.model.quant;

import org.jspecify.annotations.NullMarked;
