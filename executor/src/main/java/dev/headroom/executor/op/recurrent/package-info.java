/**
 * Recurrent layers: whole layers as cuDNN runs them, and single steps by ATen's fused cells. {@code CudnnRnn} runs
 * layers, {@code FusedCells} steps.
 */
@NullMarked
package dev.headroom.executor.op.recurrent;

import org.jspecify.annotations.NullMarked;
