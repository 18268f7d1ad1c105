package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.ExplainedChange;
import dev.headroom.advisor.change.OptionWords;
import dev.headroom.advisor.change.Target;
import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What would help and what would not: each change is played with room for anything. */
final class ChangeFindings {
    /** A change helps when the peak falls by so many hundredths. */
    private static final int HELPS = 5;

    /** Below so many hundredths its effect is none. */
    private static final int NOTHING = 2;

    private final ExplainedRun explained;
    private final VariantPlayer player;
    private final LittleEffect little;

    private ChangeFindings(ExplainedRun explained, VariantPlayer player) {
        this.explained = explained;
        this.player = player;
        this.little = new LittleEffect(explained);
    }

    private record Effect(ExplainedChange change, long peak) {}

    static List<Finding> of(ExplainedRun explained, VariantPlayer player) {
        return new ChangeFindings(explained, player).findings();
    }

    /** Plays what the findings about a run rest on, for the player to remember. */
    static void play(VariantPlayer player, Scenario run) {
        Stream<Scenario> changed =
                changes(player, run).stream().map(change -> change.change().of(run));
        Stream.concat(changed, half(run).stream()).toList().parallelStream().forEach(player::unbounded);
    }

    private static List<ExplainedChange> changes(VariantPlayer player, Scenario run) {
        return new Catalogue(player.graph()).explained(run);
    }

    /** The run with half of the batch. */
    private static Optional<Scenario> half(Scenario run) {
        Long batch = run.sizes().batch();
        return batch == null || batch < 2 ? Optional.empty() : Optional.of(run.with(BATCH, batch / 2));
    }

    private List<Finding> findings() {
        long before = explained.peak().allocated();
        List<Effect> helpful = new ArrayList<>();
        List<Effect> useless = new ArrayList<>();
        for (Effect o : best()) {
            (percent(before - o.peak()) >= HELPS ? helpful : useless).add(o);
        }
        helpful.sort(Comparator.comparingLong(Effect::peak));
        List<String> does = new ArrayList<>();
        helpful.forEach(o -> does.add(sentence(o)));
        leftOver().ifPresent(does::add);
        List<String> doesNot = new ArrayList<>();
        useless.forEach(o -> doesNot.add(sentence(o)));
        boolean helps = helpful.stream().anyMatch(o -> o.change().target() == Target.BATCH);
        perSample().ifPresent(helps ? does::add : doesNot::add);
        reentrant().ifPresent(doesNot::add);
        doesNot.add(emptyCache());
        List<Finding> out = new ArrayList<>();
        if (!does.isEmpty()) {
            does.add("headroom advise combines such changes until a run fits, and names their price.");
            out.add(new Finding("help", "What would help?", does, accounts(helpful)));
        }
        out.add(new Finding("no_help", "What would not help?", doesNot, accounts(useless)));
        return out;
    }

    /** The best of each kind, in the order of the kinds. */
    private List<Effect> best() {
        Map<String, Effect> best = new LinkedHashMap<>();
        play(player, explained.run());
        for (ExplainedChange change : changes(player, explained.run())) {
            peak(change.change().of(explained.run()))
                    .ifPresent(p ->
                            best.merge(change.key(), new Effect(change, p), (a, b) -> b.peak() < a.peak() ? b : a));
        }
        return new ArrayList<>(best.values());
    }

    /** With room for anything; empty where the model or the version has nothing of the kind to change. */
    private Optional<Long> peak(Scenario changed) {
        Outcome played = player.unbounded(changed);
        return played.fits() ? Optional.of(played.allocated()) : Optional.empty();
    }

    private long percent(long bytes) {
        return Math.round(100.0 * bytes / Math.max(1, explained.peak().allocated()));
    }

    private String sentence(Effect o) {
        long less = percent(explained.peak().allocated() - o.peak());
        String why = less < NOTHING ? little.why(o.change().target()) : "";
        String effect = less == 0
                ? "no change"
                : Math.abs(less) + (less > 0 ? " % less, " : " % more, ") + Words.size(o.peak());
        return o.change().name() + ": " + effect + (why.isEmpty() ? "" : "; " + why) + ".";
    }

    /** What a sample of the batch costs, from the peak with half of them. */
    private Optional<String> perSample() {
        long peak = explained.peak().allocated();
        Optional<Scenario> less = half(explained.run());
        return less.flatMap(this::peak).filter(p -> p < peak).map(p -> {
            long batch = explained.run().sizes().givenBatch();
            long half = less.get().sizes().givenBatch();
            long each = (peak - p) / (batch - half);
            return "Between batch " + half + " and " + batch + " each sample adds " + Words.size(each)
                    + " to the peak: at " + batch + " they make " + Words.size(each * batch) + " of it, and "
                    + Words.size(peak - each * batch) + " are fixed.";
        });
    }

    /** Checkpoints that cut the graph off. */
    private Optional<String> reentrant() {
        if (explained.prediction().warnings().stream().noneMatch(w -> w.startsWith("re-entrant checkpointing"))) {
            return Optional.empty();
        }
        Scenario other = Catalogue.nonReentrant().of(explained.run());
        String options = OptionWords.added(explained.run(), other);
        return peak(other)
                .map(p -> "Re-entrant checkpoints whose input requires no gradient: a part of what they spare is"
                        + " gradients that are never made; with " + options + ", which trains all, the peak is "
                        + Words.size(p) + ".");
    }

    private List<Account> accounts(List<Effect> outcomes) {
        List<Account> accounts = new ArrayList<>();
        long before = explained.peak().allocated();
        for (Effect o : outcomes) {
            accounts.add(new Account(
                    o.change().key(),
                    o.peak(),
                    List.of(new Account.Part("peak", before), new Account.Part("change", o.peak() - before))));
        }
        return accounts;
    }

    /** Versions whose zero_grad always keeps gradients: what {@code p.grad = None} would free is there to see. */
    private Optional<String> leftOver() {
        long kept = explained.leftOverGradients();
        boolean simulated = !explained.zeroGradAlwaysKeeps();
        return simulated || !explained.matters(kept)
                ? Optional.empty()
                : Optional.of("p.grad = None in place of zero_grad(): up to "
                        + Words.share(kept, explained.peak().allocated()) + " less; " + Words.size(kept)
                        + " at the peak are gradients of the step before.");
    }

    private String emptyCache() {
        long cached = explained.peak().reserved() - explained.peak().allocated();
        return "torch.cuda.empty_cache(): frees no tensor, and the allocator empties its cache itself before it fails; "
                + Words.size(cached) + " are cached at the peak.";
    }
}
