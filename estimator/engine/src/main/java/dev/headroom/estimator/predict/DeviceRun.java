package dev.headroom.estimator.predict;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;

/**
 * A run as one GPU saw it.
 *
 * @param device number
 * @param history the phases
 * @param log every allocation and free
 * @param peak how high memory went
 * @param events in the log until the run ended or memory ran out
 */
public record DeviceRun(int device, PhaseHistory history, EventLog log, MemoryPeak peak, int events) {
    /** The allocator at the end of each phase. */
    public List<PhaseMemory> phases() {
        return history.phases();
    }
}
