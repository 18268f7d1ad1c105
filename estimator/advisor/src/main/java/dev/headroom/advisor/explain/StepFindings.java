package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What remains after the first step, and how the steps differ. */
final class StepFindings {
    private final ExplainedRun explained;
    private final Timeline timeline;

    private StepFindings(ExplainedRun explained) {
        this.explained = explained;
        this.timeline = explained.timeline();
    }

    static List<Finding> of(ExplainedRun explained) {
        StepFindings findings = new StepFindings(explained);
        List<Finding> out = new ArrayList<>();
        findings.remains().ifPresent(out::add);
        findings.steps().ifPresent(out::add);
        return out;
    }

    private List<PhaseSpan> step(int step) {
        return timeline.phases().stream()
                .filter(p -> Objects.equals(p.step(), step))
                .toList();
    }

    private Optional<Finding> remains() {
        List<PhaseSpan> first = step(0);
        if (first.isEmpty()) {
            return Optional.empty();
        }
        AliveAt before = explained.startOf(first.get(0));
        AliveAt after = explained.endOf(first.get(first.size() - 1));
        Difference d = new Difference(before, after);
        if (d.bytes() < 0 || !explained.matters(d.bytes())) {
            return Optional.empty();
        }
        Account account = d.account("what the first step leaves behind");
        List<String> answer = new ArrayList<>();
        for (Group kept : Group.by(d.newcomers(), h -> h.category().name())) {
            if (explained.matters(kept.bytes())) {
                answer.add(Words.size(kept.bytes()) + " " + remainder(kept) + ".");
            }
        }
        return Optional.of(new Finding(
                "remains",
                "What are the " + Words.size(d.bytes()) + " that remain after the first step?",
                answer,
                List.of(account)));
    }

    private String remainder(Group kept) {
        Category c = kept.members().get(0).category();
        return switch (c) {
            case OPTIMIZER_STATE -> "of optimizer state: " + StateNames.words(explained) + ", which stay for good";
            case GRADIENTS ->
                explained.keepsGradients()
                        ? "of gradients, which zero_grad does not free"
                        : "of gradients, until zero_grad of the next step";
            case OUTPUTS -> "of outputs: " + Words.count(kept.size(), "tensor") + " that Python's variables hold";
            case WORKSPACES -> "of workspaces, which cuBLAS keeps for good";
            default -> "of " + Words.category(c);
        };
    }

    private Optional<Finding> steps() {
        if (explained.run().loop().steps() < 2 || step(1).isEmpty()) {
            return Optional.empty();
        }
        AliveAt first = highest(step(0));
        AliveAt second = highest(step(1));
        long more = second.allocated() - first.allocated();
        List<String> answer = new ArrayList<>();
        Account account = compare(first, second, "step 1 beside step 0");
        if (!explained.matters(more)) {
            return Optional.empty();
        }
        answer.add("Step 0 peaks in " + first.phase().phase() + " with " + Words.size(first.allocated())
                + ", step 1 in " + second.phase().phase() + " with " + Words.size(second.allocated()) + ".");
        answer.add("At its peak step 1 holds " + account.changes(5) + ".");
        if (explained.run().loop().steps() > 2 && !step(2).isEmpty()) {
            AliveAt third = highest(step(2));
            long change = third.allocated() - second.allocated();
            answer.add(
                    change == 0
                            ? "Step 2 peaks as step 1 does: this is how it goes on."
                            : "Step 2 peaks " + Words.size(Math.abs(change)) + (change > 0 ? " higher" : " lower")
                                    + " than step 1.");
        }
        return Optional.of(new Finding(
                "steps",
                "Why does step 1 peak " + Words.size(Math.abs(more)) + (more > 0 ? " higher" : " lower")
                        + " than step 0?",
                answer,
                List.of(account)));
    }

    private AliveAt highest(List<PhaseSpan> step) {
        return step.stream()
                .map(explained::peakOf)
                .max(Comparator.comparingLong(AliveAt::allocated))
                .orElseThrow();
    }

    private static Account compare(AliveAt a, AliveAt b, String of) {
        List<Account.Part> parts = new ArrayList<>();
        Arrays.stream(Category.values())
                .forEach(c -> parts.add(new Account.Part(Words.category(c), b.bytes(c) - a.bytes(c))));
        parts.sort((x, y) -> Long.compare(Math.abs(y.bytes()), Math.abs(x.bytes())));
        return Account.of(of, b.allocated() - a.allocated(), parts);
    }
}
