package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.estimator.cudnn.AskedConvolutions;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a run that was played to its end, or to where memory ran out. Reports read this; nothing of what
 * played the run is alive any more.
 *
 * @param prepared the graph that ran, under which scenario, and what was recomputed
 * @param settings of the allocator
 * @param devices what each GPU of the process saw; all but its failure is told of the first unless said otherwise
 * @param attributions by the numbers that the log has for them
 * @param parameters in the order of {@code parameters()}; none when memory ran out before the model was made
 * @param nodes how the nodes of the plan's graph ran
 * @param convolutions whose workspaces were asked for
 * @param unmodelled calls of operators that have no rule, and of custom functions of autograd that an export traced
 *     through, by name, in alphabetical order
 * @param collectives that the rank asked for, by phase; empty for a run on one GPU
 * @param paged bytes of managed memory, which CUDA moves between host and device
 * @param repeatable whether the log says all that was asked of the allocator of a run that got through and never looked
 *     how much memory there is: on a device of another size it asks the same
 * @param failure {@code null} when the run got through
 */
public record Simulation(
        PreparedRun prepared,
        AllocatorSettings settings,
        List<DeviceRun> devices,
        List<Attribution> attributions,
        List<ParameterMemory> parameters,
        NodeRuns nodes,
        AskedConvolutions convolutions,
        Map<String, Integer> unmodelled,
        List<List<CollectiveRow>> collectives,
        long paged,
        boolean repeatable,
        @Nullable Failure failure) {

    /** What was asked of the allocator, to be asked of others; empty where the log does not say it. */
    public Optional<Requests> requests() {
        return repeatable ? Optional.of(Requests.of(log())) : Optional.empty();
    }

    /** The phases. */
    public PhaseHistory history() {
        return devices.get(0).history();
    }

    /** Every allocation and free. */
    public EventLog log() {
        return devices.get(0).log();
    }

    /** How high memory went. */
    public MemoryPeak peak() {
        return devices.get(0).peak();
    }

    /** The allocator at the end of each phase. */
    public List<PhaseMemory> phases() {
        return history().phases();
    }

    /** Where memory ran out; {@code null} when the run got through. */
    public @Nullable OutOfMemory oom() {
        return failure == null ? null : failure.oom();
    }

    /** Events until the run ended or memory ran out. */
    public int events() {
        return devices.get(0).events();
    }

    /** Peak of allocated bytes. */
    public long maxAllocated() {
        return peak().allocated();
    }

    /** Peak of reserved bytes. */
    public long maxReserved() {
        return peak().reserved();
    }

    /** The highest of the GPUs' peaks of allocated bytes. */
    public long mostAllocated() {
        return devices.stream().mapToLong(d -> d.peak().allocated()).max().orElse(0);
    }

    /** The highest of the GPUs' peaks of reserved bytes. */
    public long mostReserved() {
        return devices.stream().mapToLong(d -> d.peak().reserved()).max().orElse(0);
    }

    /** Who made a storage. */
    public Attribution madeBy(int storage) {
        return attributions.get(log().attribution(storage));
    }

    /** What ran when an event happened. */
    public Attribution running(int event) {
        return attributions.get(log().running(event));
    }
}
