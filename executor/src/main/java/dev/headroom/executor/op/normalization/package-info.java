/**
 * Batch, group and layer normalisation, by cuDNN or by PyTorch's own kernels. They differ in the statistics that they
 * keep and in the scratch memory of their reductions.
 */
@NullMarked
package dev.headroom.executor.op.normalization;

import org.jspecify.annotations.NullMarked;
