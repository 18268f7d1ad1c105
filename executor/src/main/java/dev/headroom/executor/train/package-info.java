/** The training loop, run for real: phases, losses, the data that it feeds. */
package dev.headroom.executor.train;
