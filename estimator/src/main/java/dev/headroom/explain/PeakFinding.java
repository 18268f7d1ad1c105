package dev.headroom.explain;

import dev.headroom.timeline.LiveTensor;
import java.util.ArrayList;
import java.util.List;

/** What makes the peak: where it is, what runs, who holds most. */
final class PeakFinding {
    private static final int FAMILIES = 4;

    private PeakFinding() {}

    static Finding of(Story story) {
        Moment peak = story.peak();
        List<String> answer = new ArrayList<>();
        LiveTensor last = story.timeline().tensor(peak.event());
        answer.add(Words.size(peak.allocated()) + " are allocated in "
                + peak.phase().title() + ", when " + Words.place(peak.running()) + " makes " + Words.tensor(last)
                + " (" + Words.size(last.requested()) + ").");
        Account sum = peak.byCategory("allocated at the peak");
        List<Group> families = Group.by(peak.holdings(), Holding::family);
        answer.add("The largest parts belong to "
                + Words.list(Group.largest(families, FAMILIES).stream()
                        .map(g -> g.name() + " (" + Words.size(g.bytes()) + ")")
                        .toList())
                + ".");
        return new Finding("peak", "What makes the peak?", answer, List.of(sum, account(families, peak)));
    }

    private static Account account(List<Group> families, Moment peak) {
        List<Account.Part> parts = new ArrayList<>();
        families.forEach(f -> parts.add(new Account.Part(f.name(), f.bytes())));
        return Account.of("allocated at the peak, by module", peak.allocated(), parts);
    }
}
