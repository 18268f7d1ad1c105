/**
 * Plays a recorded trace through the simulated allocator: what would this run have reserved with other settings, on
 * another device, under another version of PyTorch? {@link dev.headroom.allocator.replay.Replay} is the central class and
 * plays once; {@link dev.headroom.allocator.replay.ReplayComparison} plays one trace under many settings and names the
 * best. The command line's {@code replay} shows the results, and the tests hold them against what PyTorch did.
 */
@NullMarked
package dev.headroom.allocator.replay;

import org.jspecify.annotations.NullMarked;
