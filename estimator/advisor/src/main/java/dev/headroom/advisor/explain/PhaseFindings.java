package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Why memory rises in the phases of the step with the peak. */
final class PhaseFindings {
    private static final int PARTS = 4;

    private final ExplainedRun explained;

    private PhaseFindings(ExplainedRun explained) {
        this.explained = explained;
    }

    static List<Finding> of(ExplainedRun explained) {
        PhaseFindings findings = new PhaseFindings(explained);
        List<Finding> out = new ArrayList<>();
        explained.phase(Phase.FORWARD).flatMap(findings::forward).ifPresent(out::add);
        explained.phase(Phase.LOSS).flatMap(findings::loss).ifPresent(out::add);
        explained.phase(Phase.BACKWARD).flatMap(findings::backward).ifPresent(out::add);
        explained.phase(Phase.OPTIMIZER).flatMap(findings::optimizer).ifPresent(out::add);
        return out;
    }

    private Optional<Finding> forward(PhaseSpan span) {
        AliveAt start = explained.startOf(span);
        AliveAt end = explained.endOf(span);
        AliveAt high = explained.peakOf(span);
        Difference d = new Difference(start, end);
        boolean above = explained.matters(high.allocated() - end.allocated());
        if (above
                && (!explained.matters(d.bytes())
                        || high.event() == explained.peak().event())) {
            return Optional.of(rise(span, start, high, List.of(), List.of()));
        }
        if (!rises(d)) {
            return Optional.empty();
        }
        Account account = d.account(span.title());
        List<String> answer = new ArrayList<>();
        answer.add("It ends with " + Words.size(end.allocated()) + " allocated: " + account.changes(PARTS) + ".");
        List<Group> families = Group.by(d.newcomers(), Holding::family);
        answer.add("Most of it stays in "
                + Words.list(Group.largest(families, PARTS).stream()
                        .map(g -> g.name() + " (" + Words.size(g.bytes()) + ")")
                        .toList())
                + ".");
        over(high, end).ifPresent(answer::add);
        return Optional.of(new Finding(
                span.phase().label(),
                "Why does forward add " + Words.size(d.bytes()) + "?",
                answer,
                List.of(account, byModule(families))));
    }

    private boolean rises(Difference d) {
        return d.bytes() > 0 && explained.matters(d.bytes());
    }

    private static Account byModule(List<Group> families) {
        long bytes = families.stream().mapToLong(Group::bytes).sum();
        return new Account(
                "made in forward and alive at its end, by module",
                bytes,
                families.stream()
                        .map(f -> new Account.Part(f.name(), f.bytes()))
                        .toList());
    }

    /** Why a phase is higher on its way than where it starts; more sentences and accounts follow. */
    private static Finding rise(PhaseSpan span, AliveAt start, AliveAt high, List<String> more, List<Account> others) {
        Account rise = new Difference(start, high).account("peak of " + span.title() + " above its start");
        List<String> answer = new ArrayList<>();
        answer.add("It starts with " + Words.size(start.allocated()) + " and is highest when "
                + Words.place(high.running()) + " runs: " + rise.changes(PARTS) + ".");
        answer.addAll(more);
        List<Account> accounts = new ArrayList<>(List.of(rise));
        accounts.addAll(others);
        String phase = span.phase() == Phase.OPTIMIZER
                ? "the optimizer step"
                : span.phase().label();
        return new Finding(
                span.phase().label(),
                "Why does " + phase + " need " + Words.size(rise.bytes()) + " more than it starts with?",
                answer,
                accounts);
    }

    /** What a phase takes above its end and gives back. */
    private Optional<String> over(AliveAt high, AliveAt end) {
        long more = high.allocated() - end.allocated();
        return explained.matters(more)
                ? Optional.of("On the way it is " + Words.size(more) + " above its end, when "
                        + Words.place(high.running()) + " runs.")
                : Optional.empty();
    }

    private Optional<Finding> loss(PhaseSpan span) {
        AliveAt end = explained.endOf(span);
        Difference d = new Difference(explained.startOf(span), end);
        if (!explained.matters(d.bytes())) {
            return Optional.empty();
        }
        if (d.bytes() < 0) {
            return Optional.of(fall(span, d));
        }
        List<String> answer = new ArrayList<>();
        for (Holding h : d.newcomers()) {
            if (explained.matters(h.bytes())) {
                answer.add(Words.tensor(h.tensor()) + ", " + Words.size(h.bytes()) + ", " + staysUntil(h) + ".");
            }
        }
        long outputs = end.bytes(Category.OUTPUTS);
        if (explained.matters(outputs)) {
            answer.add("The model's outputs, " + Words.size(outputs)
                    + ", stay beside it: Python's variables still hold them.");
        }
        over(explained.peakOf(span), end).ifPresent(answer::add);
        return Optional.of(new Finding(
                span.phase().label(),
                "Why does the loss add " + Words.size(d.bytes()) + "?",
                answer,
                List.of(d.account(span.title()))));
    }

    /** What a context around forward and loss has held, such as autocast's copies of the weights, goes at its end. */
    private static Finding fall(PhaseSpan span, Difference d) {
        Account account = d.account(span.title());
        return new Finding(
                span.phase().label(),
                "Why does memory fall by " + Words.size(-d.bytes()) + " in the loss?",
                List.of("It changes by " + account.changes(PARTS) + "."),
                List.of(account));
    }

    private static String staysUntil(Holding h) {
        String kept = h.savedBy() == null ? "stays" : "is kept by autograd";
        if (h.endedBy() == null) {
            return kept;
        }
        return kept + " until " + Words.maker(h.endedBy()) + " has run";
    }

    private Optional<Finding> backward(PhaseSpan span) {
        AliveAt start = explained.startOf(span);
        AliveAt high = explained.peakOf(span);
        Difference d = new Difference(start, high);
        if (!rises(d)) {
            return Optional.empty();
        }
        List<String> more = new ArrayList<>();
        long before = start.bytes(Category.SAVED_ACTIVATIONS);
        long still = start.holdings(Category.SAVED_ACTIVATIONS).stream()
                .filter(h -> h.tensor().died() > high.event())
                .mapToLong(Holding::bytes)
                .sum();
        Optional<AliveAt> forward = explained.phase(Phase.FORWARD).map(explained::endOf);
        List<Account> accounts = new ArrayList<>();
        forward.filter(end -> explained.matters(start.allocated() - end.allocated()))
                .ifPresent(end -> {
                    Account above =
                            new Difference(end, high).account("peak of " + span.title() + " above the end of forward");
                    more.add("That is " + Words.size(above.bytes()) + " above the end of forward, the loss included.");
                    accounts.add(above);
                });
        if (explained.matters(before)) {
            more.add("Then " + Words.size(still) + " of the " + Words.size(before)
                    + " of saved activations are still alive (" + Words.share(still, before) + "): "
                    + reason(d, still * 2 > before) + ".");
        }
        accounts.add(new Account(
                "saved activations where " + span.title() + " starts",
                before,
                List.of(
                        new Account.Part("alive at its peak", still),
                        new Account.Part("let go before its peak", before - still))));
        return Optional.of(rise(span, start, high, more, accounts));
    }

    /** Why a backward pass is higher than its start, by what came alive most. */
    private static String reason(Difference rise, boolean early) {
        Category most = Stream.of(
                        Category.TEMPORARIES, Category.GRADIENTS, Category.SAVED_ACTIVATIONS, Category.WORKSPACES)
                .max(Comparator.comparingLong(rise::appeared))
                .orElseThrow();
        return switch (most) {
            case GRADIENTS -> "gradients of parameters come and stay while activations go";
            case SAVED_ACTIVATIONS ->
                "checkpoints compute the activations of a segment again, which come alive beside them";
            case WORKSPACES -> "the largest part of the rise is the workspace of the kernel that runs";
            default ->
                early
                        ? "gradients of activations come alive before what they were computed from is let go"
                        : "the largest part of the rise is gradients of activations";
        };
    }

    private Optional<Finding> optimizer(PhaseSpan span) {
        AliveAt start = explained.startOf(span);
        AliveAt high = explained.peakOf(span);
        Difference d = new Difference(start, high);
        boolean decides = high.allocated() * 10 >= explained.peak().allocated() * 9;
        if (!decides || !rises(d)) {
            return Optional.empty();
        }
        List<String> more = new ArrayList<>();
        List<Holding> lists = d.newcomers().stream()
                .filter(h -> h.category() == Category.TEMPORARIES)
                .toList();
        int gradients = high.holdings(Category.GRADIENTS).size();
        if (explained.matters(d.appeared(Category.TEMPORARIES)) && lists.size() >= gradients) {
            more.add("The multi-tensor (foreach) step makes its temporaries for all parameters at once: "
                    + Words.count(lists.size(), "tensor") + ", "
                    + Words.share(d.appeared(Category.TEMPORARIES), high.bytes(Category.PARAMETERS))
                    + " of the parameters' size.");
        }
        return Optional.of(rise(span, start, high, more, List.of()));
    }
}
