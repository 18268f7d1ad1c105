/**
 * Convolutions, pooling and resampling: which of PyTorch's implementations takes a problem, which copies it makes of
 * its operands, and which workspace the library is given.
 */
package dev.headroom.executor.op.image;
