package dev.headroom.advisor.explain;

import dev.headroom.estimator.timeline.LiveTensor;
import java.util.ArrayList;
import java.util.List;

/** What makes the peak: where it is, what runs, who holds most. */
final class PeakFinding {
    private static final int FAMILIES = 4;

    private PeakFinding() {}

    /** @param spacious whether the run was played with more room than it was given */
    static Finding of(ExplainedRun explained, boolean spacious) {
        AliveAt peak = explained.peak();
        List<String> answer = new ArrayList<>();
        LiveTensor last = explained.timeline().tensor(peak.event());
        answer.add(Words.size(peak.allocated()) + " are allocated in "
                + peak.phase().title() + ", when " + Words.place(peak.running())
                + (explained.matters(last.requested())
                        ? " makes " + Words.tensor(last) + " (" + Words.size(last.requested()) + ")."
                        : " runs."));
        Account sum = peak.byCategory("allocated at the peak");
        List<Group> families = Group.by(peak.holdings(), Holding::family);
        answer.add("The largest parts belong to "
                + Words.list(Group.largest(families, FAMILIES).stream()
                        .map(g -> g.name() + " (" + Words.size(g.bytes()) + ")")
                        .toList())
                + ".");
        String question = spacious ? "What would make the peak, with room to spare?" : "What makes the peak?";
        return new Finding("peak", question, answer, List.of(sum, account(families, peak)));
    }

    private static Account account(List<Group> families, AliveAt peak) {
        List<Account.Part> parts = new ArrayList<>();
        families.forEach(f -> parts.add(new Account.Part(f.name(), f.bytes())));
        return Account.of("allocated at the peak, by module", peak.allocated(), parts);
    }
}
