/** Convolutions: cuDNN's with their workspaces, and the kernels of PyTorch's own for depthwise ones. */
@NullMarked
package dev.headroom.estimator.op.convolution;

import org.jspecify.annotations.NullMarked;
