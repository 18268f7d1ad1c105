package dev.headroom.estimator.predict;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.CompiledSpread;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.certainty.Risk;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.estimator.cudnn.AskedConvolutions;
import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceLines;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a run that was played fits, and how sure that is: on the GPU that takes most, where there are several alike.
 */
final class Verdicts {
    static final String RESERVED = "segments of the caching allocator, played";

    /** An end that does not get through needs more than there is, however much. */
    static final Long TOO_MUCH = Long.MAX_VALUE;

    private final PredictionRequest request;
    private final Simulation run;
    private final Plays plays;
    /** The run itself, or the run with room for anything when it did not get through. */
    private final Simulation whole;

    private final List<DeviceLine> beside;
    private final long context;
    private final @Nullable Long total;
    private final @Nullable Long minimum;
    private final Certainty certainty;

    Verdicts(PredictionRequest request, Simulation run, Plays plays) {
        this.request = request;
        this.run = run;
        this.plays = plays;
        this.whole = run.oom() == null ? run : plays.unbounded(request);
        this.beside = request.deviceLines();
        this.context = DeviceLines.bytes(beside);
        this.total = request.device().total();
        // Played on all processors: they have nothing to do with each other.
        List<Ending> endings = ends().parallelStream().map(this::ending).toList();
        this.minimum = endings.get(0).least();
        this.certainty = certain(endings.subList(1, endings.size()));
    }

    Certainty certainty() {
        return certainty;
    }

    Prediction.Verdict verdict() {
        Long needed = minimum == null ? null : Long.valueOf(context + minimum);
        if (!limited()) {
            return new Prediction.Verdict(run.oom() == null ? null : Boolean.FALSE, null, null, needed);
        }
        long room = room();
        if (request.device().limit() != null) {
            room = Math.min(room, request.device().limit() + context);
        }
        Long headroom = room - run.mostReserved() - context;
        if (run.oom() != null) {
            // No memory is missing where only its pieces are too small.
            headroom = needed == null || needed <= room ? null : Long.valueOf(room - needed);
        }
        return new Prediction.Verdict(run.oom() == null, headroom, probability(), needed);
    }

    /** Whether there is anything that the run may not fit in. */
    private boolean limited() {
        return total != null || request.device().limit() != null;
    }

    /** What of the device the process may take. */
    private long room() {
        return total == null ? Long.MAX_VALUE : total - request.device().inUse();
    }

    private @Nullable Double probability() {
        return certainty.needed() == null
                ? null
                : Double.valueOf(new Risk(
                                Objects.requireNonNull(certainty.needed()),
                                free(),
                                request.device().limit())
                        .probability(Deviations.published()));
    }

    /** What the allocator can get of the device. */
    private Span free() {
        long lacking = request.device().memory() != null || request.device().gpu() == null
                ? 0
                : request.device().gpu().memory() - request.device().gpu().leastMemory();
        return Certainty.free(beside, room() - lacking, room());
    }

    /** The most that a run holds, and the least memory in which it gets through, where that is asked for. */
    record Ending(long reserved, long allocated, @Nullable Long least) {
        Ending(Simulation run, @Nullable Long least) {
            this(run.mostReserved(), run.mostAllocated(), least);
        }
    }

    private Ending ending(WorkspaceEnd end) {
        if (end == WorkspaceEnd.FIRST) {
            return new Ending(whole, whole.oom() != null ? null : Long.valueOf(plays.least(request, whole)));
        }
        PredictionRequest on = run.oom() == null ? request : request.unbounded();
        boolean asked = whole.oom() == null && limited();
        if (end == WorkspaceEnd.NONE) {
            Optional<Ending> known = plays.withoutCudnn(on, whole, asked);
            if (known.isPresent()) {
                return known.get();
            }
        }
        Simulation other = plays.run(on, end);
        return new Ending(other, !asked ? null : other.oom() == null ? (Long) plays.least(request, other) : TOO_MUCH);
    }

    /** What is known of such runs where they are compiled. */
    private @Nullable CompiledSpread compiled() {
        if (request.scenario().kernels().compile()) {
            return CompiledSpread.ESTIMATES;
        }
        return CompiledGraph.in(request.graph()) ? CompiledSpread.PLANS : null;
    }

    /** @param others at the ends of what is uncertain */
    private Certainty certain(List<Ending> others) {
        Span reserved = new Span(whole.mostReserved(), whole.mostReserved());
        Span needed = minimum == null || !limited() ? null : new Span(minimum, minimum);
        long allocated = whole.mostAllocated();
        for (Ending other : others) {
            reserved = reserved.with(other.reserved());
            allocated = Math.min(allocated, other.allocated());
            if (needed != null) {
                needed = needed.with(Objects.requireNonNull(other.least()));
            }
        }
        CompiledSpread compiled = compiled();
        if (compiled != null) {
            reserved = compiled.widened(reserved);
            needed = needed == null ? null : compiled.widened(needed);
        }
        if (needed != null && run.oom() == null) {
            needed = needed.atMost(Objects.requireNonNull(Predictor.room(request)));
        }
        List<DeviceLine> lines = new ArrayList<>();
        lines.add(new DeviceLine(
                DeviceLine.RESERVED,
                Math.min(reserved.low(), run.mostReserved()),
                run.mostReserved(),
                Math.max(reserved.high(), run.mostReserved()),
                RESERVED));
        lines.addAll(beside);
        if (whole.paged() > 0) {
            lines.add(DeviceLine.paged(whole.paged()));
        }
        return new Certainty(
                lines, reserved, needed, interval(reserved, run.unmodelled().isEmpty() ? allocated : 0));
    }

    /**
     * The deviations hold what libraries took during the measured runs, which was not told apart: of what lies beside
     * reserved memory only the context widens the interval.
     *
     * @param allocated what is allocated at the peak whatever is uncertain: less can't be reserved
     */
    private Interval interval(Span reserved, long allocated) {
        Interval i = Deviations.published().interval(reserved, Certainty.LEVEL);
        long low = Math.max(i.low(), allocated);
        long high = i.high();
        for (DeviceLine line : beside) {
            boolean libraries = !line.part().equals(DeviceLine.CONTEXT);
            low += libraries ? line.bytes() : line.low();
            high += libraries ? line.bytes() : line.high();
        }
        if (run.oom() != null) {
            return new Interval(i.level(), low, high);
        }
        if (request.device().limit() != null) {
            high = Math.min(
                    high,
                    request.device().limit()
                            + beside.stream().mapToLong(DeviceLine::high).sum());
        }
        return new Interval(i.level(), low, Math.max(low, Math.min(high, room())));
    }

    /** What was played, and the ends of the workspaces of convolutions that differ from it. */
    private List<WorkspaceEnd> ends() {
        AskedConvolutions convolutions = whole.convolutions();
        List<WorkspaceEnd> ends = new ArrayList<>(List.of(WorkspaceEnd.FIRST));
        if (request.scenario().kernels().cudnnWorkspace().bytes() == null && convolutions.anyWorkspace()) {
            ends.add(WorkspaceEnd.NONE);
            if (convolutions.anyMore()) {
                ends.add(WorkspaceEnd.MOST);
            }
        }
        return ends;
    }
}
