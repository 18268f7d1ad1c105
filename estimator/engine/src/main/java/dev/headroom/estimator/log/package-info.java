/**
 * What happened to memory in a run, event by event: which block was taken or given back, what kind of tensor it holds,
 * and which operator of which module asked for it. The runtime writes the log; timelines, reports and findings read it.
 */
@NullMarked
package dev.headroom.estimator.log;

import org.jspecify.annotations.NullMarked;
