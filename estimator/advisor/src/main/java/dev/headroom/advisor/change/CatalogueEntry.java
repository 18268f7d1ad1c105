package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Scenario;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A row of the catalogue. A row begins as one that plans propose for any run and of which explanations say nothing.
 *
 * @param change the change, for a run that leaves it to be made
 * @param planned when plans may propose it
 * @param explained when explanations try it
 * @param wording what they say of it, if anything
 */
record CatalogueEntry(
        Function<Situation, Change> change,
        Predicate<Situation> planned,
        Predicate<Situation> explained,
        Optional<Wording> wording) {
    /**
     * What an explanation says.
     *
     * @param key one word; of the changes with the same key the best counts
     * @param name what is done
     * @param options whether the options of the command line that do it are named
     */
    private record Wording(String key, Function<Situation, String> name, Target target, boolean options) {}

    static CatalogueEntry of(Function<Situation, Change> change) {
        return new CatalogueEntry(change, s -> true, s -> true, Optional.empty());
    }

    /** For such runs only. */
    CatalogueEntry when(Predicate<Situation> open) {
        return new CatalogueEntry(change, planned.and(open), explained.and(open), wording);
    }

    /** Proposed to such runs only. */
    CatalogueEntry plannedWhen(Predicate<Situation> open) {
        return new CatalogueEntry(change, planned.and(open), explained, wording);
    }

    /** Tried by explanations of such runs only. */
    CatalogueEntry explainedWhen(Predicate<Situation> open) {
        return new CatalogueEntry(change, planned, explained.and(open), wording);
    }

    /** Never proposed: plans have a better one of the kind. */
    CatalogueEntry notPlanned() {
        return plannedWhen(s -> false);
    }

    /** Explanations call it so, and name its options. */
    CatalogueEntry explained(String key, String name, Target target) {
        return explained(key, s -> name, target);
    }

    /** Explanations call it so, and name its options. */
    CatalogueEntry explained(String key, Function<Situation, String> name, Target target) {
        return new CatalogueEntry(change, planned, explained, Optional.of(new Wording(key, name, target, true)));
    }

    /** Explanations call it so; its options would fill pages. */
    CatalogueEntry explainedWithoutOptions(String key, String name, Target target) {
        return new CatalogueEntry(change, planned, explained, Optional.of(new Wording(key, s -> name, target, false)));
    }

    /** The change that plans may propose. */
    Optional<Change> plan(Situation situation) {
        return planned.test(situation) ? Optional.of(change.apply(situation)) : Optional.empty();
    }

    /** The change that explanations try. */
    Optional<ExplainedChange> explain(Situation situation) {
        return wording.filter(w -> explained.test(situation)).map(w -> {
            Change made = change.apply(situation);
            Scenario run = situation.run();
            String name = w.name().apply(situation);
            return new ExplainedChange(
                    made, w.key(), w.options() ? OptionWords.named(name, run, made.of(run)) : name, w.target());
        });
    }
}
