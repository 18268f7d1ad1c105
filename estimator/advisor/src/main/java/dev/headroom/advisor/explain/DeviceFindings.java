package dev.headroom.advisor.explain;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.OptionWords;
import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.timeline.LiveTensor;
import dev.headroom.estimator.timeline.PlacedSegment;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What nvidia-smi would show, and how much of it is fragmentation. */
final class DeviceFindings {
    private static final int NAMED = 2;

    /** Fragmentation of less than a twentieth is not worth another allocator. */
    private static final int SMALL = 20;

    private final ExplainedRun explained;
    private final VariantPlayer player;
    private final AliveAt peak;

    private DeviceFindings(ExplainedRun explained, VariantPlayer player) {
        this.explained = explained;
        this.player = player;
        this.peak = explained.peak();
    }

    static List<Finding> of(ExplainedRun explained, VariantPlayer player) {
        DeviceFindings findings = new DeviceFindings(explained, player);
        return List.of(findings.device(), findings.fragmentation());
    }

    private Finding device() {
        Prediction.Peak peaks = explained.prediction().peak();
        long requested = peak.holdings().stream().mapToLong(Holding::bytes).sum();
        long cached = peak.reserved() - peak.allocated();
        long later = peaks.reserved() - peak.reserved();
        List<Account.Part> parts = new ArrayList<>(List.of(
                new Account.Part("tensors at the peak", requested),
                new Account.Part("rounding of their blocks", peak.allocated() - requested),
                new Account.Part("cached and free at the peak", cached),
                new Account.Part("reserved at other times", later)));
        List<String> besides = new ArrayList<>();
        String paged = "";
        for (DeviceLine line : explained.prediction().certainty().lines()) {
            if (line.part().equals(DeviceLine.PAGED)) {
                paged = " Beside it there are " + Words.size(line.bytes())
                        + " of managed memory, which CUDA moves to the host where there is no room.";
            } else if (!line.part().equals(DeviceLine.RESERVED) && line.bytes() > 0) {
                parts.add(new Account.Part(name(line), line.bytes()));
                besides.add(name(line) + " " + Words.size(line.bytes()));
            }
        }
        List<String> answer = new ArrayList<>();
        answer.add(Words.size(peaks.device()) + " for this process: blocks of tensors " + Words.size(peak.allocated())
                + ", cached and free then " + Words.size(cached)
                + (later == 0 ? "" : ", reserved at other times " + Words.size(later) + " (in " + mostReserved() + ")")
                + (besides.isEmpty()
                        ? "; CUDA's context is not counted, as no card is named (`gpu`)."
                        : ", " + String.join(", ", besides) + ".")
                + " The allocator keeps the segments that it once took from the driver." + paged);
        Account account = new Account("device memory", peaks.device(), parts);
        return new Finding("device", "What would nvidia-smi show, and why more?", answer, List.of(account));
    }

    /** The phase in which reserved memory is first at its highest. */
    private String mostReserved() {
        Timeline timeline = explained.timeline();
        int most = 0;
        for (int e = 1; e < timeline.size(); e++) {
            most = timeline.reserved(e) > timeline.reserved(most) ? e : most;
        }
        return timeline.phase(most).title();
    }

    private static String name(DeviceLine line) {
        return switch (line.part()) {
            case DeviceLine.CONTEXT -> "CUDA's context";
            case DeviceLine.LIBRARIES -> "loaded kernels";
            case DeviceLine.CUBLAS -> "cuBLAS";
            case DeviceLine.CUDNN -> "cuDNN";
            default -> line.part();
        };
    }

    /** A segment with free blocks. */
    private record Holed(Segment segment, List<LiveTensor> tensors) {
        long free() {
            return segment.size() - segment.active();
        }

        boolean whole() {
            return segment.active() == 0;
        }

        long gaps() {
            return segment.blocks().stream()
                    .filter(b -> b.state() == BlockState.INACTIVE)
                    .count();
        }

        long largest() {
            return segment.blocks().stream()
                    .filter(b -> b.state() == BlockState.INACTIVE)
                    .mapToLong(Segment.Block::size)
                    .max()
                    .orElse(0);
        }
    }

    private Finding fragmentation() {
        List<Holed> holed = explained.timeline().segments(peak.event()).stream()
                .map((PlacedSegment p) -> new Holed(p.segment(), p.tensors()))
                .filter(h -> h.free() > 0)
                .sorted(Comparator.comparingLong(Holed::free).reversed())
                .toList();
        long granule = SimulatedDeviceMemory.GRANULE;
        long ideal = Math.min(peak.reserved(), (peak.allocated() + granule - 1) / granule * granule);
        long free = peak.reserved() - peak.allocated();
        long lost = peak.reserved() - ideal;
        long whole = holed.stream().filter(Holed::whole).mapToLong(Holed::free).sum();
        List<Account> accounts = List.of(
                new Account(
                        "reserved at the peak",
                        peak.reserved(),
                        List.of(
                                new Account.Part("an allocator without fragmentation", ideal),
                                new Account.Part("fragmentation", lost))),
                new Account(
                        "cached and free at the peak",
                        free,
                        List.of(
                                new Account.Part("gaps in segments that are in use", free - whole),
                                new Account.Part("segments that are free as a whole", whole))));
        List<String> answer = new ArrayList<>();
        answer.add(Words.size(lost) + " (" + Words.share(lost, peak.reserved())
                + " of what is reserved at the peak) beside an allocator that could move blocks.");
        if (explained.matters(free)) {
            long gaps = holed.stream().mapToLong(Holed::gaps).sum();
            long largest = holed.stream().mapToLong(Holed::largest).max().orElse(0);
            answer.add("Free then: " + Words.count(gaps, "gap") + " in " + Words.count(holed.size(), "segment")
                    + ", the largest of " + Words.size(largest)
                    + (whole == 0
                            ? "; no segment is free as a whole, to be given back."
                            : "; " + Words.size(whole) + " are whole segments, which the allocator can give back."));
            holed.stream()
                    .filter(h -> !h.whole() && h.free() * 2 >= free && explained.matters(h.free()))
                    .findFirst()
                    .ifPresent(h -> answer.add(segment(h)));
        }
        if (lost * SMALL >= peak.reserved()) {
            expandable().ifPresent(answer::add);
        }
        return new Finding("fragmentation", "How much is fragmentation?", answer, accounts);
    }

    /** What the other kind of segments would do, where it may be chosen. */
    private Optional<String> expandable() {
        Scenario run = explained.run();
        return new Catalogue(player.graph())
                .expandableSegments(run)
                .filter(change -> run.allocConf().isBlank())
                .map(change -> change.of(run))
                .flatMap(other -> {
                    Outcome played = player.unbounded(other);
                    return played.fits()
                            ? Optional.of("With " + OptionWords.added(run, other) + " the run reserves "
                                    + Words.size(played.reserved()) + " at most; it reserves "
                                    + Words.size(explained.prediction().peak().reserved()) + " as it is.")
                            : Optional.empty();
                });
    }

    private static String segment(Holed h) {
        List<LiveTensor> inside = h.tensors().stream()
                .filter(t -> t != null)
                .sorted(Comparator.comparingLong(LiveTensor::rounded).reversed())
                .toList();
        String who = inside.stream()
                .limit(NAMED)
                .map(t -> t.name().isEmpty() ? "a result of " + Words.maker(t.madeBy()) + of(t) : t.name())
                .distinct()
                .collect(Collectors.joining(" and "));
        return "A segment of " + Words.size(h.segment().size()) + " has " + Words.size(h.free()) + " free in "
                + Words.count(h.gaps(), "gap") + " around " + who
                + (inside.size() > NAMED ? " and " + Words.count(inside.size() - NAMED, "other tensor") : "") + ".";
    }

    private static String of(LiveTensor t) {
        return t.madeBy().module().isEmpty()
                ? ""
                : " of " + Words.module(t.madeBy().module());
    }
}
