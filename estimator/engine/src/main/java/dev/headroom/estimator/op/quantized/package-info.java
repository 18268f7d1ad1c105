/**
 * The layers of bitsandbytes with quantised weights: {@link dev.headroom.estimator.op.quantized.Linear4Bit} and {@link
 * dev.headroom.estimator.op.quantized.Linear8Bit}. A weight is never there in full but while a product reads it; {@link
 * dev.headroom.model.quant.FusedKernel} tells when not even then.
 */
@NullMarked
package dev.headroom.estimator.op.quantized;

import org.jspecify.annotations.NullMarked;
