/**
 * Convolutions, pooling and resampling: which of PyTorch's implementations takes a problem, which copies it makes of
 * its operands, and which workspace the library is given. {@code ConvolutionChoice} decides between cuDNN's
 * convolutions and PyTorch's own.
 */
@NullMarked
package dev.headroom.executor.op.image;

import org.jspecify.annotations.NullMarked;
