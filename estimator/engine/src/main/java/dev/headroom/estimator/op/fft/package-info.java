/** Discrete Fourier transforms: the tensors around cuFFT, whose workspaces are not known. */
package dev.headroom.estimator.op.fft;
