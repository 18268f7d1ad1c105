/**
 * Several ranks in one process: each has its own device, allocator and tape, and they meet at every collective. Values
 * really travel where the backend computes; the memory is that of torch/nn/parallel/distributed.py and
 * torch/csrc/distributed/c10d.
 */
@NullMarked
package dev.headroom.executor.parallel;

import org.jspecify.annotations.NullMarked;
