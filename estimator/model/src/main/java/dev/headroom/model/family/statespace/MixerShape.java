package dev.headroom.model.family.statespace;

/**
 * What a mixer of states is made of.
 *
 * @param prefix of class names
 * @param width of the hidden states
 * @param inner channels, each with states of its own
 * @param states of a channel
 * @param rank of the projection that makes the steps
 * @param kernel tokens that the convolution sees
 * @param convolutionBias whether the convolution has a bias
 * @param bias whether the input and output projections have one
 * @param norms whether steps and what chooses the states are normalised
 */
record MixerShape(
        String prefix,
        long width,
        long inner,
        long states,
        long rank,
        long kernel,
        boolean convolutionBias,
        boolean bias,
        boolean norms) {}
