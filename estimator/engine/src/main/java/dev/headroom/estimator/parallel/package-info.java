/**
 * Training on several GPUs. A rank's run is the run of one GPU with events put in at hook points: what a library around
 * PyTorch allocates and frees when a model is wrapped, when modules begin and end, when gradients are there, and when
 * the optimizer steps. {@code group} knows ranks and what they say to each other, {@code layout} how tensors are
 * divided; each strategy has a package of its own.
 */
@NullMarked
package dev.headroom.estimator.parallel;

import org.jspecify.annotations.NullMarked;
