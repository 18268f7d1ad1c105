/**
 * What cuBLAS and cuDNN compute: matrix products, convolutions, batch normalisation, recurrent layers. A plan holds a
 * problem's descriptors and the algorithm that the library prefers for it; problems that a library lacks go to the
 * kernels of the project's own.
 */
@NullMarked
package dev.headroom.executor.cuda.library;

import org.jspecify.annotations.NullMarked;
