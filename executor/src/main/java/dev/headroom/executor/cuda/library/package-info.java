/**
 * What cuBLAS and cuDNN compute: matrix products, convolutions, batch normalisation, recurrent layers. Products that
 * cuBLAS lacks go to kernels of the project's own; convolutions run by the plans of {@code executor.cudnn}.
 */
@NullMarked
package dev.headroom.executor.cuda.library;

import org.jspecify.annotations.NullMarked;
