/**
 * Recurrent layers: whole layers as cuDNN runs them, and single steps by ATen's fused cells.
 */
package dev.headroom.executor.op.recurrent;
