/** Convolutions: cuDNN's with their workspaces, and the kernels of PyTorch's own for depthwise ones. */
package dev.headroom.estimator.op.convolution;
