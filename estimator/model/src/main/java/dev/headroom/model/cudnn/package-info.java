/**
 * The question that PyTorch asks cuDNN about a convolution, and the answer: {@link ConvolutionProblem}, {@link
 * WorkspaceAnswer}. A {@link WorkspaceSource} knows answers; sources are found as services. The engine ships rules and
 * bounds, the executor asks an installed library. What recurrent layers need follows from their sizes alone: {@link
 * RecurrentSpaces}.
 */
@NullMarked
package dev.headroom.model.cudnn;

import org.jspecify.annotations.NullMarked;
