package dev.headroom.executor.measure;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.DeviceMeter;
import dev.headroom.executor.parallel.DistributedDataParallel;
import dev.headroom.executor.parallel.ProcessGroup;
import dev.headroom.executor.parallel.Ranks;
import dev.headroom.executor.parallel.RanksLeftException;
import dev.headroom.executor.parallel.fsdp2.FullyShard;
import dev.headroom.executor.parallel.pipeline.PipelineTraining;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.train.Training;
import dev.headroom.executor.train.TrainingRun;
import dev.headroom.executor.train.Wrapper;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The library's entry: runs a model on a backend and measures. */
public final class Measurer {
    /** Ways to spread a run that it measures. */
    public static final Set<ParallelKind> KINDS = Preparation.KINDS;

    private final MeasurementRequest request;
    private final Backend backend;
    private final List<PhaseMemory> phases = new ArrayList<>();
    private final List<Double> losses = new ArrayList<>();

    /** The ranks, as this one sees them; {@code null} for a run on its own. */
    private final @Nullable ProcessGroup group;

    /** Is told of each phase that has ended, by any rank's thread. */
    private final Consumer<PhaseMemory> watcher;

    private Measurer(
            MeasurementRequest request, Backend backend, @Nullable ProcessGroup group, Consumer<PhaseMemory> watcher) {
        this.request = request;
        this.backend = backend;
        this.group = group;
        this.watcher = watcher;
    }

    /**
     * Runs all steps, or as many as memory lasts for, and gives everything back to the backend, which stays open.
     *
     * @throws UserInputException for impossible input and for what the executor lacks, with a message for the user
     */
    public static Measurement measure(MeasurementRequest request, Backend backend) {
        if (request.scenario().parallel().kind() != ParallelKind.SINGLE) {
            throw new UserInputException(
                    "`parallel=" + request.scenario().parallel().kind().option() + "` takes a backend for each rank");
        }
        return measure(request, backend, phase -> {});
    }

    private static Measurement measure(MeasurementRequest request, Backend backend, Consumer<PhaseMemory> watcher) {
        return new Measurer(request, backend, null, watcher).measure();
    }

    /**
     * Runs all ranks of a scenario, each on a device of its own. Where one runs out of memory, the others get as far as
     * the next collective.
     *
     * @param devices opens a device for a rank; closed at the end
     * @param watcher is told of each phase that has ended, from any thread
     * @return by rank; one for a run on a single GPU
     * @throws UserInputException as {@link #measure(MeasurementRequest, Backend)}
     */
    public static List<Measurement> measureRanks(
            MeasurementRequest request, IntFunction<Backend> devices, Consumer<PhaseMemory> watcher) {
        if (request.scenario().parallel().kind() == ParallelKind.SINGLE) {
            try (Backend device = devices.apply(0)) {
                return List.of(measure(request, device, watcher));
            }
        }
        Preparation.of(request.graph(), request.scenario()); // refuses before threads are made
        return Ranks.run(request.scenario().parallel().world(), group -> {
            try (Backend device = devices.apply(group.rank())) {
                return new Measurer(request, device, group, watcher).measure();
            }
        });
    }

    private Measurement measure() {
        DeviceMeter.Reading started = reading();
        boolean divided = request.scenario().parallel().kind() != ParallelKind.DDP;
        int rank = group == null || divided ? 0 : group.rank(); // who divides a model builds the same as the others
        Settings settings = Settings.of(request.scenario(), request.seed() + rank);
        PreparedRun run = Preparation.of(request.graph(), request.scenario());
        try (Eager eager = new Eager(new CachingAllocator(allocation(), backend.memory()), backend, settings);
                TrainingRun training = training(eager, run)) {
            OutOfMemory oom = null;
            try {
                run(training, eager);
            } catch (OutOfMemoryException e) {
                Owner who = eager.requester();
                oom = new OutOfMemory(training.moment(), who.module(), who.operator(), e.segment());
            } catch (RanksLeftException e) {
                return result(eager, started, null); // another's measurement, or exception, tells why
            }
            return result(eager, started, oom);
        }
    }

    private void run(TrainingRun training, Eager eager) {
        if (request.readsLosses()) {
            training.onLoss(losses::add);
        }
        training.prepare(new RandomBatch(request.graph(), request.scenario(), eager));
        training.run();
    }

    private TrainingRun training(Eager eager, PreparedRun run) {
        return group != null && run.scenario().parallel().kind() == ParallelKind.PP
                ? new PipelineTraining(eager, request.graph(), run, group, this::ended)
                : new Training(eager, run, this::ended, wrapper(eager, run));
    }

    private void ended(PhaseMemory phase) {
        phases.add(phase);
        watcher.accept(phase);
    }

    private @Nullable Wrapper wrapper(Eager eager, PreparedRun run) {
        if (group == null) {
            return null;
        }
        return run.scenario().parallel().kind() == ParallelKind.DDP
                ? new DistributedDataParallel(eager, run.scenario(), group)
                : new FullyShard(eager, run.plan().graph(), run.scenario(), group);
    }

    private AllocatorSettings allocation() {
        try {
            AllocatorSettings settings =
                    AllocatorSettings.parse(request.scenario().allocConf());
            return request.device().limit() == null
                    ? settings
                    : settings.withLimitBytes(request.device().limit());
        } catch (IllegalArgumentException e) {
            throw new UserInputException("settings of the allocator: " + e.getMessage(), e);
        }
    }

    private DeviceMeter.@Nullable Reading reading() {
        return backend instanceof DeviceMeter meter ? meter.now() : null;
    }

    private Measurement result(Eager eager, DeviceMeter.@Nullable Reading started, @Nullable OutOfMemory oom) {
        var statistics = eager.allocator().statistics();
        List<MemoryLog.Share> atPeak = eager.log().atPeak().stream()
                .sorted(Comparator.comparingLong(MemoryLog.Share::rounded)
                        .reversed()
                        .thenComparing(s -> s.owner().module())
                        .thenComparing(s -> s.owner().operator()))
                .toList();
        Measurement.Device device = backend instanceof DeviceMeter meter
                ? new Measurement.Device(
                        meter.beforeContext(),
                        meter.afterContext(),
                        Objects.requireNonNull(started, "a reading"),
                        meter.now())
                : null;
        return new Measurement(
                backend.name(),
                List.copyOf(phases),
                new Measurement.Peak(
                        statistics.allocatedBytes().peak(),
                        statistics.reservedBytes().peak()),
                atPeak,
                workspaces(eager.log(), atPeak),
                List.copyOf(losses),
                device,
                oom);
    }

    private static List<Measurement.Workspace> workspaces(MemoryLog log, List<MemoryLog.Share> atPeak) {
        Map<String, Long> alive = atPeak.stream()
                .filter(s -> s.owner().isWorkspace())
                .collect(Collectors.groupingBy(
                        s -> s.owner().operator(), Collectors.summingLong(MemoryLog.Share::rounded)));
        return log.workspaces().stream()
                .map(w -> new Measurement.Workspace(w.name(), alive.getOrDefault(w.name(), 0L), w.most()))
                .toList();
    }
}
