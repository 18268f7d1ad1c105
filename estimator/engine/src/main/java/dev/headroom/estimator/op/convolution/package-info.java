/**
 * Convolutions: cuDNN's with their workspaces, and the kernels of PyTorch's own for depthwise ones. {@code Convolution}
 * is the operator, {@code ConvolutionPlans} the order in which cuDNN's plans are tried.
 */
@NullMarked
package dev.headroom.estimator.op.convolution;

import org.jspecify.annotations.NullMarked;
