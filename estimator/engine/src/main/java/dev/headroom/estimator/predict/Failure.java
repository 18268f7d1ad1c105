package dev.headroom.estimator.predict;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.model.run.OutOfMemory;

/**
 * The end of a run that ran out of memory.
 *
 * @param oom where, and over what
 * @param requester what asked for the memory that was not there
 * @param events in the log until then; what follows is the release of what was alive in the functions that ended with
 *     it
 */
public record Failure(OutOfMemory oom, Attribution requester, int events) {}
