package dev.headroom.explain;

import dev.headroom.graph.GraphException;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.predict.Simulation;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What would help and what would not: each change is played with room for anything. */
final class ChangeFindings {
    /** A change helps when the peak falls by so many hundredths. */
    private static final int HELPS = 5;

    /** Below so many hundredths its effect is none. */
    private static final int NOTHING = 2;

    private final Story story;
    private final PredictionRequest request;

    private ChangeFindings(Story story, PredictionRequest request) {
        this.story = story;
        this.request = request.unbounded();
    }

    private record Outcome(Change change, long peak) {}

    static List<Finding> of(Story story, PredictionRequest request) {
        return new ChangeFindings(story, request).findings();
    }

    private List<Finding> findings() {
        long before = story.peak().allocated();
        List<Outcome> helpful = new ArrayList<>();
        List<Outcome> useless = new ArrayList<>();
        for (Outcome o : best()) {
            (percent(before - o.peak()) >= HELPS ? helpful : useless).add(o);
        }
        helpful.sort(Comparator.comparingLong(Outcome::peak));
        List<Finding> out = new ArrayList<>();
        List<String> does = new ArrayList<>();
        helpful.forEach(o -> does.add(sentence(o)));
        leftOver().ifPresent(does::add);
        if (!does.isEmpty()) {
            out.add(new Finding("help", "What would help?", does, accounts(helpful)));
        }
        List<String> doesNot = new ArrayList<>();
        useless.forEach(o -> doesNot.add(sentence(o)));
        reentrant().ifPresent(doesNot::add);
        doesNot.add(emptyCache());
        out.add(new Finding("no_help", "What would not help?", doesNot, accounts(useless)));
        return out;
    }

    /** The best of each kind, in the order of the kinds. */
    private List<Outcome> best() {
        Map<String, Outcome> best = new LinkedHashMap<>();
        for (Change change : Changes.of(story, request)) {
            peak(change.set())
                    .ifPresent(p ->
                            best.merge(change.key(), new Outcome(change, p), (a, b) -> b.peak() < a.peak() ? b : a));
        }
        return new ArrayList<>(best.values());
    }

    private Optional<Long> peak(Consumer<TrainingRun> change) {
        TrainingRun run = request.run().copy();
        change.accept(run);
        try {
            Simulation played = Predictor.simulate(request.with(run));
            return played.oom() != null
                    ? Optional.empty()
                    : Optional.of(played.runtime().maxAllocated());
        } catch (GraphException e) {
            return Optional.empty(); // the model has nothing of the kind to change
        }
    }

    private long percent(long bytes) {
        return Math.round(100.0 * bytes / Math.max(1, story.peak().allocated()));
    }

    private String sentence(Outcome o) {
        long less = percent(story.peak().allocated() - o.peak());
        boolean reason = less < NOTHING && !o.change().otherwise().isEmpty();
        String effect = less == 0
                ? "no change"
                : Math.abs(less) + (less > 0 ? " % less, " : " % more, ") + Words.size(o.peak());
        return o.change().name() + ": " + effect + (reason ? "; " + o.change().otherwise() : "") + ".";
    }

    /** Checkpoints that cut the graph off. */
    private Optional<String> reentrant() {
        return story.prediction().warnings().stream()
                .filter(w -> w.startsWith("re-entrant checkpointing"))
                .findFirst()
                .flatMap(w -> peak(r -> r.reentrant = false))
                .map(p ->
                        "Re-entrant checkpoints whose input requires no gradient: a part of what they spare is gradients"
                                + " that are never made; with --reentrant false, which trains all, the peak is "
                                + Words.size(p)
                                + ".");
    }

    private List<Account> accounts(List<Outcome> outcomes) {
        List<Account> accounts = new ArrayList<>();
        long before = story.peak().allocated();
        for (Outcome o : outcomes) {
            accounts.add(new Account(
                    o.change().key(),
                    o.peak(),
                    List.of(new Account.Part("peak", before), new Account.Part("change", o.peak() - before))));
        }
        return accounts;
    }

    /** Versions whose zero_grad always keeps gradients: what {@code p.grad = None} would free is there to see. */
    private Optional<String> leftOver() {
        long kept = story.leftOverGradients();
        boolean simulated = !story.zeroGradAlwaysKeeps();
        return simulated || !story.matters(kept)
                ? Optional.empty()
                : Optional.of("p.grad = None in place of zero_grad(): up to "
                        + Words.share(kept, story.peak().allocated()) + " less; " + Words.size(kept)
                        + " at the peak are gradients of the step before.");
    }

    private String emptyCache() {
        long cached = story.peak().reserved() - story.peak().allocated();
        return "torch.cuda.empty_cache(): frees no tensor, and the allocator empties its cache itself before it fails; "
                + Words.size(cached) + " are cached at the peak.";
    }
}
