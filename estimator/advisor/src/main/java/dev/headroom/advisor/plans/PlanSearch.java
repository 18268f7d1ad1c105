package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    private final Scenario asked;
    private final VariantPlayer player;
    private final AvailableChanges tools;
    private final List<Variant> found = new ArrayList<>();
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
        boolean single = !found.isEmpty();
        Variant best = found.stream().min(Variant.RANK).orElse(null);
        for (Variant base : bases()) {
            boolean dearer = best != null && base.intrusion().compareTo(best.intrusion()) > 0;
            if (dearer || !single && found.size() >= ENOUGH) {
                break;
            }
            combine(base, best);
        }
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
        found.addAll(variants.parallelStream()
                .filter(variant -> player.mayFit(variant.run()))
                .toList());
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

    private void combine(Variant base, @Nullable Variant best) {
        if (player.mayFit(base.run())) {
            // Alone it is listed already; where it is a combination, nothing has to be added.
            list(base, best);
            return;
        }
        Variant free = base.with(tools.applicable(helpful, base));
        Variant all = squeezed(free);
        if (!player.mayFit(all.run()) && !player.mayFit(mostPasses(free).run())) {
            strongest.add(all);
            return;
        }
        List<Variant> variants = atOnce(List.of(
                () -> Optional.of(free),
                () -> tools.passes().fewest(base.run()).map(base::with),
                () -> tools.checkpoints().cheapest(base.run()).map(base::with),
                () -> tools.passes().fewest(free.run()).map(free::with),
                () -> tools.checkpoints().cheapest(free.run()).map(free::with)));
        if (variants.stream().noneMatch(variant -> player.mayFit(variant.run()))) {
            variants = both(base).or(() -> both(free)).map(List::of).orElse(List.of());
        }
        variants.parallelStream()
                .filter(variant -> player.mayFit(variant.run()))
                .map(variant -> variant.minimal(asked, player::mayFit))
                .toList()
                .forEach(variant -> list(variant, best));
    }

    /** What several searches find, in their order: they have nothing to do with each other. */
    private static List<Variant> atOnce(List<Supplier<Optional<Variant>>> searches) {
        return searches.parallelStream()
                .map(Supplier::get)
                .flatMap(Optional::stream)
                .toList();
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
