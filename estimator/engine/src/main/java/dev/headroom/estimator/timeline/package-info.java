/** A run seen event by event: which tensors are alive when, whose they are, and where they lie. */
package dev.headroom.estimator.timeline;
