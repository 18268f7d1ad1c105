package dev.headroom.explain;

import dev.headroom.shadow.Category;
import dev.headroom.timeline.PhaseSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Why memory rises in the phases of the step with the peak. */
final class PhaseFindings {
    private static final int PARTS = 4;

    private final Story story;

    private PhaseFindings(Story story) {
        this.story = story;
    }

    static List<Finding> of(Story story) {
        PhaseFindings findings = new PhaseFindings(story);
        List<Finding> out = new ArrayList<>();
        story.phase("forward").flatMap(findings::forward).ifPresent(out::add);
        story.phase("loss").flatMap(findings::loss).ifPresent(out::add);
        story.phase("backward").flatMap(findings::backward).ifPresent(out::add);
        story.phase("optimizer").flatMap(findings::optimizer).ifPresent(out::add);
        return out;
    }

    private Optional<Finding> forward(PhaseSpan span) {
        Moment end = Moment.endOf(story.timeline(), span);
        Difference d = new Difference(Moment.startOf(story.timeline(), span), end);
        Moment high = story.peakOf(span);
        if (!story.matters(d.bytes()) && !story.matters(high.allocated() - end.allocated())) {
            return Optional.empty();
        }
        Account account = d.account(span.title());
        List<String> answer = new ArrayList<>();
        answer.add("It ends with " + Words.size(end.allocated()) + " allocated: " + Difference.words(account, PARTS)
                + ".");
        answer.add("Most of it stays in "
                + Words.list(Group.largest(Group.by(d.newcomers(), Holding::family), PARTS).stream()
                        .map(g -> g.name() + " (" + Words.size(g.bytes()) + ")")
                        .toList())
                + ".");
        over(high, end, "end").ifPresent(answer::add);
        return Optional.of(new Finding(
                "forward", "Why does forward add " + Words.size(d.bytes()) + "?", answer, List.of(account)));
    }

    /** What a phase takes above its end and gives back. */
    private Optional<String> over(Moment high, Moment end, String name) {
        long more = high.allocated() - end.allocated();
        return story.matters(more)
                ? Optional.of("On the way it is " + Words.size(more) + " above its " + name + ", when "
                        + Words.place(high.running()) + " runs.")
                : Optional.empty();
    }

    private Optional<Finding> loss(PhaseSpan span) {
        Moment end = Moment.endOf(story.timeline(), span);
        Difference d = new Difference(Moment.startOf(story.timeline(), span), end);
        if (!story.matters(d.bytes())) {
            return Optional.empty();
        }
        List<String> answer = new ArrayList<>();
        for (Holding h : d.newcomers()) {
            if (story.matters(h.bytes())) {
                answer.add(Words.tensor(h.tensor()) + ", " + Words.size(h.bytes()) + ", " + staysUntil(h) + ".");
            }
        }
        long outputs = end.bytes(Category.OUTPUTS);
        if (story.matters(outputs)) {
            answer.add("The model's outputs, " + Words.size(outputs)
                    + ", stay beside it: Python's variables still hold them.");
        }
        over(story.peakOf(span), end, "end").ifPresent(answer::add);
        return Optional.of(new Finding(
                "loss",
                "Why does the loss add " + Words.size(d.bytes()) + "?",
                answer,
                List.of(d.account(span.title()))));
    }

    private static String staysUntil(Holding h) {
        String kept = h.savedBy() == null ? "stays" : "is kept by autograd";
        if (h.endedBy() == null) {
            return kept;
        }
        return kept + " until " + Words.maker(h.endedBy()) + " has run";
    }

    private Optional<Finding> backward(PhaseSpan span) {
        Moment start = Moment.startOf(story.timeline(), span);
        Moment end = Moment.endOf(story.timeline(), span);
        Moment high = story.peakOf(span);
        Difference d = new Difference(start, high);
        if (!story.matters(d.bytes())) {
            return Optional.empty();
        }
        Account rise = d.account("peak of " + span.title() + " above its start");
        Account whole = new Difference(start, end).account(span.title());
        List<String> answer = new ArrayList<>();
        answer.add("It starts with " + Words.size(start.allocated()) + " and is highest when "
                + Words.place(high.running()) + " runs: " + Difference.words(rise, PARTS) + ".");
        long before = start.bytes(Category.SAVED_ACTIVATIONS);
        long still = start.holdings(Category.SAVED_ACTIVATIONS).stream()
                .filter(h -> h.tensor().died() > high.event())
                .mapToLong(Holding::bytes)
                .sum();
        boolean activations = d.appeared(Category.TEMPORARIES) >= d.appeared(Category.GRADIENTS);
        if (story.matters(before)) {
            answer.add("Then " + Words.size(still) + " of the " + Words.size(before)
                    + " of saved activations are still alive (" + Words.share(still, before)
                    + "): "
                    + (activations
                            ? "gradients of activations come alive before what they were computed from is let go"
                            : "gradients of parameters come and stay while activations go")
                    + ".");
        }
        return Optional.of(new Finding(
                "backward",
                "Why does backward need " + Words.size(d.bytes()) + " more than it starts with?",
                answer,
                List.of(rise, whole)));
    }

    private Optional<Finding> optimizer(PhaseSpan span) {
        Moment start = Moment.startOf(story.timeline(), span);
        Moment high = story.peakOf(span);
        Difference d = new Difference(start, high);
        boolean decides = high.allocated() * 10 >= story.peak().allocated() * 9;
        if (!decides || !story.matters(d.bytes())) {
            return Optional.empty();
        }
        Account rise = d.account("peak of " + span.title() + " above its start");
        List<String> answer = new ArrayList<>();
        answer.add("It starts with " + Words.size(start.allocated()) + " and is highest with "
                + Words.size(high.allocated()) + ": " + Difference.words(rise, PARTS) + ".");
        long lists = d.newcomers().stream()
                .filter(h -> h.category() == Category.TEMPORARIES)
                .mapToLong(Holding::bytes)
                .sum();
        if (story.matters(lists)) {
            long tensors = d.newcomers().stream()
                    .filter(h -> h.category() == Category.TEMPORARIES)
                    .count();
            long parameters = high.holdings(Category.GRADIENTS).size();
            answer.add("The " + Words.count(tensors, "temporary tensor") + " alive at once are "
                    + Words.share(lists, high.bytes(Category.PARAMETERS)) + " of the parameters' size"
                    + (tensors >= parameters
                            ? ": the multi-tensor (foreach) step makes them for all parameters at once"
                            : "")
                    + ".");
        }
        return Optional.of(new Finding(
                "optimizer",
                "Why does the optimizer step need " + Words.size(d.bytes()) + " more?",
                answer,
                List.of(rise)));
    }
}
