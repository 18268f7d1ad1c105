/** Predictions beside recordings of the real PyTorch, and benchmarks. */
package dev.headroom.validation;
