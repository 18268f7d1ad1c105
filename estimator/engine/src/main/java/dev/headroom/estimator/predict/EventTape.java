package dev.headroom.estimator.predict;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.log.Blocks;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.log.HighestAllocated;
import dev.headroom.model.error.Unwanted;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The events of a run that got through, to be played again on another allocator. Operators never learn where their
 * memory lies or how much there is, so that the same run on a device of another size, or under other settings of the
 * allocator, does the same, as long as no request is refused.
 */
final class EventTape {
    private final Simulation run;

    private EventTape(Simulation run) {
        this.run = run;
    }

    /** The tape of a run; empty when its log does not say all. */
    static Optional<EventTape> of(Simulation run) {
        return run.repeatable() ? Optional.of(new EventTape(run)) : Optional.empty();
    }

    /**
     * The run on an allocator of which nothing was asked yet.
     *
     * @param asked as the user gives it
     * @return empty when a request is refused: what the functions do that this ends is in no event
     */
    Optional<Simulation> on(CachingAllocator allocator, Scenario asked) {
        try {
            return Optional.of(played(allocator, asked));
        } catch (OutOfMemoryException e) {
            return Optional.empty();
        }
    }

    private Simulation played(CachingAllocator allocator, Scenario asked) {
        EventLog log = run.log();
        List<Integer> ends = run.history().ends();
        List<PhaseMemory> phases = new ArrayList<>(ends.size());
        Play play = new Play(log, allocator);
        for (int i = 0; i < ends.size(); i++) {
            Unwanted.check();
            play.until(ends.get(i));
            Moment moment = run.phases().get(i).moment();
            phases.add(PhaseMemory.read(moment, allocator));
        }
        play.until(log.size());
        DeviceRun device = new DeviceRun(
                0,
                new PhaseHistory(List.copyOf(phases), ends),
                log.on(play.rounded, play.reserved),
                MemoryPeak.of(play.highest, allocator),
                log.size());
        return new Simulation(
                prepared(asked),
                allocator.settings(),
                List.of(device),
                run.attributions(),
                run.parameters(),
                run.nodes(),
                run.convolutions(),
                run.unmodelled(),
                run.collectives(),
                run.paged(),
                true,
                null);
    }

    /** Made ready for the same run, on the device that is asked for. */
    private PreparedRun prepared(Scenario asked) {
        PreparedRun then = run.prepared();
        return new PreparedRun(
                then.graph(),
                then.scenario().withDevice(asked.device()).withAllocConf(asked.allocConf()),
                then.symbols(),
                then.plan());
    }

    /** Goes through the events, in a loop of its own for speed, and notes what the allocator makes of them. */
    private static final class Play {
        private final EventLog log;
        private final CachingAllocator allocator;
        private final long[] rounded;
        private final long[] reserved;
        private final Blocks blocks;
        private int next;
        private int born;
        private final HighestAllocated highest = new HighestAllocated();

        Play(EventLog log, CachingAllocator allocator) {
            this.log = log;
            this.allocator = allocator;
            this.rounded = new long[log.storages()];
            this.reserved = new long[log.size()];
            this.blocks = new Blocks(log, allocator);
        }

        void until(int end) {
            for (; next < end; next++) {
                int storage = log.storage(next);
                if (log.isFree(next)) {
                    blocks.freed(storage);
                } else if (storage == born) {
                    born++;
                    allocate(storage);
                }
                reserved[next] = allocator.statistics().reservedBytes().current();
            }
        }

        private void allocate(int storage) {
            blocks.allocated(storage);
            rounded[storage] = blocks.rounded(storage);
            highest.allocated(
                    allocator.statistics().allocatedBytes().current(),
                    next + 1,
                    allocator.statistics().reservedBytes().current());
        }
    }
}
