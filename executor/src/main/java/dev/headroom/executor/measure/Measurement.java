package dev.headroom.executor.measure;

import dev.headroom.executor.kernel.DeviceMeter;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run took, in bytes.
 *
 * @param backend name of the backend
 * @param phases in order, up to where memory ran out
 * @param atPeak who held what when allocated memory was highest, the largest first
 * @param workspaces of kernels and libraries, by name
 * @param losses one for each forward pass that had one
 * @param device {@code null} when the backend has no device to ask
 * @param oom {@code null} when the run got through
 */
public record Measurement(
        String backend,
        List<PhaseMemory> phases,
        Peak peak,
        List<MemoryLog.Share> atPeak,
        List<Workspace> workspaces,
        List<Double> losses,
        @Nullable Device device,
        @Nullable OutOfMemory oom) {
    /** Peaks of the whole run. */
    public record Peak(long allocated, long reserved) {}

    /**
     * A workspace.
     *
     * @param name such as {@code cuBLAS workspace}
     * @param atPeak bytes when allocated memory was highest
     * @param most bytes at any time
     */
    public record Workspace(String name, long atPeak, long most) {}

    /**
     * What the driver says around the run.
     *
     * @param started before the model was made
     * @param ended when the last step was done and the model still there
     */
    public record Device(
            DeviceMeter.Reading beforeContext,
            DeviceMeter.Reading afterContext,
            DeviceMeter.Reading started,
            DeviceMeter.Reading ended) {}
}
