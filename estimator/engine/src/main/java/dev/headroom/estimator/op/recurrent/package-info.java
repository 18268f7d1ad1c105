/**
 * Recurrent layers in cuDNN, and single steps of recurrent cells. {@code RecurrentLayers} knows the workspace and the
 * reserve, {@code RecurrentCells} the fused kernels.
 */
@NullMarked
package dev.headroom.estimator.op.recurrent;

import org.jspecify.annotations.NullMarked;
