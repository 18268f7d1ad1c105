package dev.headroom.advisor.explain;

import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.Segment;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.timeline.PlacedSegment;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.run.OutOfMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Where and why a run ran out of memory. */
final class ShortageFinding {
    private static final int CATEGORIES = 5;

    private ShortageFinding() {}

    /** @param story the run with room to spare */
    static Finding of(PlayedRun run, ExplainedRun explained) {
        Prediction p = run.prediction();
        OutOfMemory oom = Objects.requireNonNull(p.oom());
        AliveAt last = new ExplainedRun(run).moment(run.timeline().size() - 1);
        List<Segment> segments = last.event() < 0
                ? List.of()
                : run.timeline().segments(last.event()).stream()
                        .map(PlacedSegment::segment)
                        .toList();
        long whole = segments.stream()
                .filter(s -> s.active() == 0)
                .mapToLong(Segment::size)
                .sum();
        long gaps = last.reserved() - last.allocated() - whole;
        long largest = segments.stream()
                .flatMap(s -> s.blocks().stream())
                .filter(b -> b.state() == BlockState.INACTIVE)
                .mapToLong(Segment.Block::size)
                .max()
                .orElse(0);
        long unused = unused(run, last);
        Account device = device(run, last, gaps, whole, unused);
        String place = Words.place(Objects.requireNonNull(run.timeline().failed()));
        List<String> answer = new ArrayList<>();
        answer.add("In " + oom.moment().words() + ", when " + place + " runs: the allocator asks the driver for "
                + Words.size(oom.requested()) + "; what is left, its free segments included, is "
                + Words.size(whole + unused) + ".");
        answer.add("Memory is " + words(device) + ".");
        if (gaps > 0) {
            answer.add("The largest free block has " + Words.size(largest) + ".");
        }
        Account alive = last.byCategory("allocated when memory ran out");
        if (!alive.parts().isEmpty()) {
            answer.add("Alive then: " + alive.amounts(CATEGORIES) + ".");
        }
        Long least = p.verdict().minimumMemory();
        answer.add("With room to spare the peak would be "
                + Words.size(explained.peak().allocated()) + " allocated, in "
                + explained.peak().phase().title()
                + (least == null ? "" : "; the least that the run gets through in is " + Words.size(least)) + ".");
        return new Finding("shortage", "Where and why does memory run out?", answer, List.of(device, alive));
    }

    /** What of the device is not the allocator's to give. */
    private static long context(Prediction p) {
        return p.peak().device() - p.peak().reserved();
    }

    /** Bytes of the device; where only the allocator is limited, that limit. */
    private static long total(PlayedRun run) {
        Prediction.Device device = run.prediction().device();
        return device == null ? Objects.requireNonNull(run.request().device().limit()) : device.memory();
    }

    /** Bytes that the driver could still have given. */
    private static long unused(PlayedRun run, AliveAt last) {
        Long limit = run.request().device().limit();
        long free = total(run) - run.request().device().inUse() - context(run.prediction()) - last.reserved();
        return limit == null ? free : Math.min(free, limit - last.reserved());
    }

    private static Account device(PlayedRun run, AliveAt last, long gaps, long whole, long unused) {
        long inUse = run.request().device().inUse();
        long context = context(run.prediction());
        long beyond = total(run) - inUse - context - last.reserved() - unused;
        return new Account(
                "memory",
                total(run),
                List.of(
                        new Account.Part("tensors", last.allocated()),
                        new Account.Part("gaps in segments that are in use", gaps),
                        new Account.Part("free segments", whole),
                        new Account.Part("not taken yet", unused),
                        new Account.Part("beyond `limit`", beyond),
                        new Account.Part("CUDA's context and libraries", context),
                        new Account.Part("other processes", inUse)));
    }

    private static String words(Account account) {
        return Words.size(account.bytes()) + ": "
                + Words.list(account.parts().stream()
                        .map(part -> part.name() + " " + Words.size(part.bytes()))
                        .toList());
    }
}
