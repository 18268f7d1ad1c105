/**
 * The training loop as a script writes it, phase by phase. A {@link dev.headroom.model.run.PreparedRun} comes in, the
 * loop brings model, optimizer and batches to the runtime and runs the graph forward and backward, and memory is read
 * at the end of each phase. Outputs and the loss live until the next iteration rebinds their names, as Python's
 * variables do. What differs between scenarios and regimes is not in the loop: {@link
 * dev.headroom.estimator.loop.LoopHook}s do it at the points where a script would.
 */
@NullMarked
package dev.headroom.estimator.loop;

import org.jspecify.annotations.NullMarked;
