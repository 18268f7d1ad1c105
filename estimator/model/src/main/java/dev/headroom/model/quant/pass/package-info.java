/**
 * Graphs with quantised weights: {@link dev.headroom.model.quant.pass.QuantisedLinears} puts packed storage in place of
 * the weights of linear layers and the operators of bitsandbytes in place of theirs,
 * {@link dev.headroom.model.quant.pass.Preparing} does what peft does to such a model before it is trained. Prediction
 * and execution run the same graphs.
 */
@NullMarked
package dev.headroom.model.quant.pass;

import org.jspecify.annotations.NullMarked;
