package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.CheckpointChanges;
import dev.headroom.advisor.change.MicroBatches;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks for changes under which a run gets through without losing samples of a step. Single changes come first. They
 * are combined where none suffices, or where a combination is less intrusive or cheaper than any that does: upon the
 * run as it is, then with fewer bits, then with other optimizers, each time the free changes that help, more passes,
 * recomputation, and all of them.
 */
final class PlanSearch {
    /** Combinations that are enough when no single change does. */
    private static final int ENOUGH = 4;

    /** More passes and recomputation together. */
    private static final Set<String> BOTH = Set.of(MicroBatches.KIND, CheckpointChanges.KIND);

    private final Scenario asked;
    private final VariantPlayer player;
    private final AvailableChanges tools;
    private final Listing known = new Listing();
    private final List<Variant> found = new ArrayList<>();

    /** These and what was left out beside others. */
    private final List<Variant> considered = new ArrayList<>();

    private final List<Variant> strongest = new ArrayList<>();
    private List<Change> helpful = List.of();

    PlanSearch(Scenario asked, VariantPlayer player, AvailableChanges tools) {
        this.asked = asked;
        this.player = player;
        this.tools = tools;
    }

    /**
     * Ways that get through, the best first.
     *
     * @param listed told of each as soon as it is found
     */
    List<Variant> find(Consumer<Variant> listed) {
        Variant start = Variant.of(asked);
        helpful = tools.helpful(List.of(start, squeezed(start)));
        singles();
        found.forEach(listed);
        Variant best = found.stream().min(Variant.RANK).orElse(null);
        List<Variant> bases = bases().stream()
                .takeWhile(base -> best == null || base.intrusion().compareTo(best.intrusion()) <= 0)
                .toList();
        int enough = best == null ? ENOUGH : Integer.MAX_VALUE;
        player.processors().ahead(bases, base -> combine(base, bases.indexOf(base)), some -> {
            int before = found.size();
            list(some, best);
            found.subList(before, found.size()).forEach(listed);
            return found.size() < enough;
        });
        found.sort(Variant.RANK);
        return found;
    }

    /** Everything at once, upon each base that it was not enough for; passes are played as two. */
    List<Variant> notEnough() {
        return strongest;
    }

    private void singles() {
        List<Variant> variants = new ArrayList<>();
        Variant start = Variant.of(asked);
        helpful.forEach(change -> variants.add(start.with(change)));
        tools.passes().fewest(asked).ifPresent(change -> variants.add(start.with(change)));
        tools.checkpoints().cheapest(asked).ifPresent(change -> variants.add(start.with(change)));
        tools.budgets(asked).forEach(change -> variants.add(start.with(change)));
        tools.precisions(asked).forEach(change -> variants.add(start.with(change)));
        tools.optimizers(asked).forEach(change -> variants.add(start.with(change)));
        tools.tunings(asked).forEach(change -> variants.add(start.with(change)));
        found.addAll(player.processors().filter(variants, variant -> player.mayFit(variant.run())));
        known.addSingles(found);
        considered.addAll(found);
    }

    /** What combinations begin with, the least intrusive first. */
    private List<Variant> bases() {
        Variant start = Variant.of(asked);
        List<Variant> precise = new ArrayList<>(List.of(start));
        tools.budgets(asked).forEach(change -> precise.add(start.with(change)));
        tools.precisions(asked).forEach(change -> precise.add(start.with(change)));
        List<Variant> all = new ArrayList<>(precise);
        for (Change optimizer : tools.optimizers(asked)) {
            precise.forEach(variant -> all.add(variant.with(optimizer)));
        }
        for (Change tuning : tools.tunings(asked)) {
            Variant tuned = start.with(tuning);
            all.add(tuned);
            tools.librarySwitch(tuned.run()).map(tuned::with).ifPresent(all::add);
        }
        return all;
    }

    /**
     * What upon a base gets through.
     *
     * @param variants that do
     * @param strongest all changes that save anything, where not even that gets through
     */
    private record Combinations(
            List<Variant> variants, @Nullable Variant strongest) {}

    /** @param place of the base among all of them */
    private Combinations combine(Variant base, int place) {
        if (player.mayFit(base.run())) {
            // Alone it is listed already; where it is a combination, nothing has to be added.
            known.add(List.of(base), place);
            return new Combinations(List.of(base), null);
        }
        Variant free = base.with(tools.applicable(helpful, base));
        boolean bothKnown = known.isSpared(base, BOTH)
                || BOTH.stream().anyMatch(kind -> known.known(base, place, kind).isPresent());
        Variant all = squeezed(free);
        if (!bothKnown
                && !player.mayFit(all.run())
                && !player.mayFit(mostPasses(free).run())) {
            return new Combinations(List.of(), all);
        }
        List<Supplier<Upon>> searches = new ArrayList<>();
        if (!known.isSpared(base, Set.of(MicroBatches.KIND))) {
            Cheaper cheaper = tools.passes()::fewer;
            searches.add(() -> upon(base, free, place, MicroBatches.KIND, tools.passes()::fewest, cheaper));
        }
        if (!known.isSpared(base, Set.of(CheckpointChanges.KIND))) {
            Cheaper cheaper = tools.checkpoints()::cheaper;
            searches.add(() -> upon(base, free, place, CheckpointChanges.KIND, tools.checkpoints()::cheapest, cheaper));
        }
        List<Upon> single = player.processors().map(searches, Supplier::get);
        List<Variant> variants = new ArrayList<>(List.of(free));
        single.stream().flatMap(one -> one.base().stream()).forEach(variants::add);
        single.stream().flatMap(one -> one.free().stream()).forEach(variants::add);
        boolean any = variants.stream().anyMatch(variant -> player.mayFit(variant.run()));
        List<Variant> open = any || bothKnown
                ? variants
                : both(base).or(() -> both(free)).map(List::of).orElse(List.of());
        List<Variant> fitting = player.processors().filter(open, variant -> player.mayFit(variant.run()));
        known.add(fitting, place);
        return new Combinations(
                player.processors().map(fitting, variant -> variant.minimal(asked, player::mayFit)), null);
    }

    private void list(Combinations some, @Nullable Variant best) {
        some.variants().forEach(variant -> list(variant, best));
        if (some.strongest() != null) {
            strongest.add(some.strongest());
        }
    }

    /** Looks for a change with which a run gets through, cheaper than another. */
    private interface Cheaper extends BiFunction<Scenario, Change, Optional<Change>> {}

    /**
     * What a search finds upon a base, and with the free changes besides: that is of no use where it is not cheaper.
     */
    private record Upon(Optional<Variant> base, Optional<Variant> free) {}

    private Upon upon(
            Variant base,
            Variant free,
            int place,
            String kind,
            Function<Scenario, Optional<Change>> search,
            Cheaper cheaper) {
        Optional<Change> enough = known.known(base, place, kind);
        Optional<Change> own = enough.isPresent() ? cheaper.apply(base.run(), enough.get()) : search.apply(base.run());
        Optional<Change> than = own.or(() -> enough);
        Optional<Change> freed = than.isPresent() ? cheaper.apply(free.run(), than.get()) : search.apply(free.run());
        Upon upon = new Upon(own.map(base::with), freed.map(free::with));
        upon.base().or(upon::free).ifPresent(variant -> known.add(List.of(variant), place));
        return upon;
    }

    /** Recomputation that keeps least with the fewest passes, then the cheapest recomputation that will do. */
    private Optional<Variant> both(Variant variant) {
        return tools.checkpoints()
                .strongest()
                .flatMap(change -> tools.passes().fewest(change.of(variant.run())))
                .flatMap(passes -> tools.checkpoints()
                        .cheapest(passes.of(variant.run()))
                        .map(change -> variant.with(passes).with(change)));
    }

    private void list(Variant variant, @Nullable Variant best) {
        boolean cheaper = best == null || Variant.RANK.compare(variant, best) < 0;
        if (cheaper && !variant.changes().isEmpty() && !Listing.isNeedless(variant, considered)) {
            found.add(variant);
        }
        considered.add(variant);
    }

    private Variant mostPasses(Variant variant) {
        return tools.passes().most(variant);
    }

    /** With as many passes as there are samples, and the recomputation that keeps least. */
    private Variant squeezed(Variant variant) {
        Variant most = mostPasses(variant);
        return tools.checkpoints().strongest().map(most::with).orElse(most);
    }
}
