package dev.headroom.estimator.predict;

/**
 * What one operator of one module holds, in bytes.
 *
 * @param module path, "" for the model itself
 * @param operator such as {@code aten.conv2d}
 * @param parameters of the module, counted at its first operator that uses them
 * @param gradients of these parameters
 * @param optimizerState of these parameters
 * @param saved what autograd keeps of a forward pass
 * @param peakShare bytes alive at the peak of allocated memory that this call made, parameters' bytes included
 */
public record LayerShare(
        String module,
        String operator,
        long parameters,
        long gradients,
        long optimizerState,
        long saved,
        long peakShare) {}
