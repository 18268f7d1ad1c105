package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.CheckpointChanges;
import dev.headroom.advisor.change.MicroBatches;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
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

    /** Recomputation that two plans must differ by, as a share of the step, for the second to be worth listing. */
    private static final double NOTABLE = 0.01;

    /** More passes and recomputation together. */
    private static final Set<String> BOTH = Set.of(MicroBatches.KIND, CheckpointChanges.KIND);

    private final Scenario asked;
    private final VariantPlayer player;
    private final AvailableChanges tools;
    private final List<Variant> found = new CopyOnWriteArrayList<>();
    private final List<Variant> strongest = new ArrayList<>();
    private List<Change> helpful = List.of();

    PlanSearch(Scenario asked, VariantPlayer player, AvailableChanges tools) {
        this.asked = asked;
        this.player = player;
        this.tools = tools;
    }

    /** Ways that get through, the best first. */
    List<Variant> find() {
        Variant start = Variant.of(asked);
        helpful = tools.helpful(List.of(start, squeezed(start)));
        singles();
        Variant best = found.stream().min(Variant.RANK).orElse(null);
        List<Variant> bases = bases().stream()
                .takeWhile(base -> best == null || base.intrusion().compareTo(best.intrusion()) <= 0)
                .toList();
        int enough = best == null ? ENOUGH : Integer.MAX_VALUE;
        player.processors().ahead(bases, this::combine, some -> {
            list(some, best);
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

    private Combinations combine(Variant base) {
        if (player.mayFit(base.run())) {
            // Alone it is listed already; where it is a combination, nothing has to be added.
            return new Combinations(List.of(base), null);
        }
        Variant free = base.with(tools.applicable(helpful, base));
        Variant all = squeezed(free);
        if (!isKnown(base, BOTH)
                && !player.mayFit(all.run())
                && !player.mayFit(mostPasses(free).run())) {
            return new Combinations(List.of(), all);
        }
        List<Supplier<Upon>> searches = new ArrayList<>();
        if (!isKnown(base, Set.of(MicroBatches.KIND))) {
            searches.add(() -> Upon.of(base, free, tools.passes()::fewest, tools.passes()::fewer));
        }
        if (!isKnown(base, Set.of(CheckpointChanges.KIND))) {
            searches.add(() -> Upon.of(base, free, tools.checkpoints()::cheapest, tools.checkpoints()::cheaper));
        }
        List<Upon> found = player.processors().map(searches, Supplier::get);
        List<Variant> variants = new ArrayList<>(List.of(free));
        found.stream().flatMap(one -> one.base().stream()).forEach(variants::add);
        found.stream().flatMap(one -> one.free().stream()).forEach(variants::add);
        boolean any = variants.stream().anyMatch(variant -> player.mayFit(variant.run()));
        List<Variant> open = any || isKnown(base, BOTH)
                ? variants
                : both(base).or(() -> both(free)).map(List::of).orElse(List.of());
        List<Variant> fitting = player.processors().filter(open, variant -> player.mayFit(variant.run()));
        return new Combinations(
                player.processors().map(fitting, variant -> variant.minimal(asked, player::mayFit)), null);
    }

    /** Whether changes of these kinds upon a base give nothing to list: less intrusive ones without its own do. */
    private boolean isKnown(Variant base, Set<String> kinds) {
        Set<String> all = new HashSet<>(base.kinds());
        all.addAll(kinds);
        return found.stream()
                .anyMatch(f -> f.intrusion().compareTo(base.intrusion()) < 0 && all.containsAll(f.kinds()));
    }

    private void list(Combinations some, @Nullable Variant best) {
        some.variants().forEach(variant -> list(variant, best));
        if (some.strongest() != null) {
            strongest.add(some.strongest());
        }
    }

    /**
     * What a search finds upon a base, and with the free changes besides: that is of no use where it is not cheaper.
     */
    private record Upon(Optional<Variant> base, Optional<Variant> free) {
        static Upon of(
                Variant base,
                Variant free,
                Function<Scenario, Optional<Change>> search,
                BiFunction<Scenario, Change, Optional<Change>> cheaper) {
            Optional<Change> own = search.apply(base.run());
            Optional<Change> freed = own.isPresent() ? cheaper.apply(free.run(), own.get()) : search.apply(free.run());
            return new Upon(own.map(base::with), freed.map(free::with));
        }
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
        boolean known =
                found.stream().anyMatch(f -> variant.kinds().containsAll(f.kinds()) && !muchCheaper(variant, f));
        if (cheaper && !known && !variant.changes().isEmpty()) {
            found.add(variant);
        }
    }

    private static boolean muchCheaper(Variant variant, Variant than) {
        int intrusion = variant.intrusion().compareTo(than.intrusion());
        double share = than.cost().recomputedShare() - variant.cost().recomputedShare();
        boolean fewerPasses = variant.cost().passes() < than.cost().passes() && share >= 0;
        return intrusion < 0 || intrusion == 0 && (share >= NOTABLE || fewerPasses);
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
