/**
 * How a model is trained: {@link Scenario} with PyTorch's defaults, the optimizers, and {@link TorchVersion} with
 * everything that was different in another release. A scenario is a value: equal scenarios give equal predictions, and
 * so it is the key of every cache.
 */
package dev.headroom.model.scenario;
