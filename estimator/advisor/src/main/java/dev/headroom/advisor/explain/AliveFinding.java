package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Why each kind of memory is alive at the peak. */
final class AliveFinding {
    private static final int GROUPS = 3;

    /** What is less than a fiftieth of the peak is left to the accounts. */
    private static final int LEAST = 50;

    private final ExplainedRun explained;
    private final AliveAt peak;

    private AliveFinding(ExplainedRun explained) {
        this.explained = explained;
        this.peak = explained.peak();
    }

    static Finding of(ExplainedRun explained) {
        return new AliveFinding(explained).finding();
    }

    private Finding finding() {
        List<String> answer = new ArrayList<>();
        List<Account> accounts = new ArrayList<>();
        Arrays.stream(Category.values())
                .sorted(Comparator.comparingLong(peak::bytes).reversed())
                .filter(c -> peak.bytes(c) > 0)
                .forEach(c -> {
                    if (peak.bytes(c) * LEAST >= peak.allocated()) {
                        answer.add(sentence(c));
                    }
                    accounts.add(account(c));
                });
        return new Finding("alive", "Why is that alive?", answer, accounts);
    }

    private Account account(Category c) {
        List<Account.Part> parts = new ArrayList<>();
        groups(c).forEach(g -> parts.add(new Account.Part(g.name(), g.bytes())));
        return new Account(Words.category(c) + " at the peak", peak.bytes(c), parts);
    }

    /** By what they wait for, or by what made them. */
    private List<Group> groups(Category c) {
        return Group.by(
                peak.holdings(c),
                switch (c) {
                    case SAVED_ACTIVATIONS -> AliveFinding::keeper;
                    case TEMPORARIES -> AliveFinding::maker;
                    default -> Holding::family;
                });
    }

    private String sentence(Category c) {
        String name = Words.category(c);
        long bytes = peak.bytes(c);
        return Character.toUpperCase(name.charAt(0)) + name.substring(1) + " " + Words.size(bytes) + " ("
                + Words.share(bytes, peak.allocated()) + "), " + why(c) + ".";
    }

    private String why(Category c) {
        return switch (c) {
            case PARAMETERS, BUFFERS -> "as long as the model lives";
            case GRADIENTS -> gradients();
            case OPTIMIZER_STATE -> "for good since " + born(c) + ": " + StateNames.words(explained);
            case SAVED_ACTIVATIONS -> "each until its backward has run: " + largest(c);
            case TEMPORARIES -> temporaries() + ": " + largest(c);
            case WORKSPACES -> workspaces();
            case INPUTS ->
                (explained.run().loop().inference() ? "the batch" : "the batch and its labels")
                        + ", held by Python's variables";
            case OUTPUTS -> outputs();
        };
    }

    private String largest(Category c) {
        return Words.list(
                Group.largest(groups(c), GROUPS).stream().map(Group::sized).toList());
    }

    private String born(Category c) {
        return Group.by(
                        peak.holdings(c),
                        h -> explained.timeline().phase(h.tensor().born()).title())
                .get(0)
                .name();
    }

    private String gradients() {
        long before = explained.leftOverGradients();
        long bytes = peak.bytes(Category.GRADIENTS);
        if (before == 0) {
            return explained.keepsGradients() ? "for good" : "until zero_grad of the next step";
        }
        if (explained.hasOwnLoop()) {
            return "until a zero_grad of their optimizer";
        }
        return (before == bytes ? "all" : Words.size(before))
                + " of the step before: zero_grad fills them with zeros and frees none";
    }

    private static String keeper(Holding h) {
        Attribution end = h.endedBy();
        return Words.maker(end != null && !end.node().isEmpty() ? end : h.savedBy());
    }

    private static String maker(Holding h) {
        return h.forRecomputation()
                ? "kept by checkpoints"
                : Words.maker(h.tensor().madeBy());
    }

    private String temporaries() {
        return switch (peak.phase().phase()) {
            case BACKWARD ->
                explained.recomputes()
                        ? "gradients of activations, recomputed results and scratch of kernels"
                        : "gradients of activations and scratch of kernels";
            case OPTIMIZER -> "of the step itself";
            default -> "results on their way and scratch of kernels";
        };
    }

    private String workspaces() {
        List<Holding> all = peak.holdings(Category.WORKSPACES);
        long kept = all.stream()
                .filter(h -> h.endedBy() == null)
                .mapToLong(Holding::bytes)
                .sum();
        long passing = peak.bytes(Category.WORKSPACES) - kept;
        String scratch = "for " + Words.maker(peak.running());
        if (kept == 0 || passing == 0) {
            return kept == 0 ? scratch : "kept by cuBLAS's handles";
        }
        return Words.size(kept) + " kept by cuBLAS's handles and " + Words.size(passing) + " " + scratch;
    }

    private String outputs() {
        long before = AliveAt.bornBefore(peak.holdings(Category.OUTPUTS), explained.stepBegins());
        String held = explained.run().loop().dropOutputs()
                ? "until backward has run and they are deleted"
                : "until the next iteration binds the names outputs and loss anew";
        return before == 0 ? held : held + "; " + Words.size(before) + " are of the step before";
    }
}
