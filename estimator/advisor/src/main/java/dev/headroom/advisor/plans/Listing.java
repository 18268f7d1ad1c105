package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What is known to get through while a search goes on, and so what is not worth looking for any more. Threads may share
 * it: what one has found spares the others work, whenever it comes, and never changes what is listed in the end.
 */
final class Listing {
    /** Recomputation that two plans must differ by, as a share of the step, for the second to be worth listing. */
    private static final double NOTABLE = 0.01;

    /** The place of single changes, before all that is combined. */
    private static final int SINGLE = -1;

    /** @param base the place of what it was combined upon among all bases, the least intrusive first */
    private record Found(Variant variant, int base) {}

    private final List<Found> found = new CopyOnWriteArrayList<>();

    void addSingles(List<Variant> singles) {
        add(singles, SINGLE);
    }

    void add(List<Variant> variants, int base) {
        variants.forEach(variant -> found.add(new Found(variant, base)));
    }

    /** Whether changes of some kinds upon a base give nothing to list: less intrusive ones without its own do. */
    boolean isSpared(Variant base, Set<String> kinds) {
        return found.stream()
                .map(Found::variant)
                .anyMatch(f -> f.intrusion().compareTo(base.intrusion()) < 0
                        && with(base.kinds(), kinds).containsAll(f.kinds()));
    }

    /**
     * The change of a kind with which something as intrusive gets through upon an earlier base: upon a base that costs
     * as much only a cheaper change of that kind gives anything to list, and none together with another that costs.
     */
    Optional<Change> known(Variant base, int place, String kind) {
        return found.stream()
                .filter(f -> f.base() < place)
                .map(Found::variant)
                .filter(f -> f.intrusion() == base.intrusion())
                .filter(f -> with(base.pricedKinds(), Set.of(kind)).containsAll(f.pricedKinds()))
                .filter(f -> isAsCheap(f, kind, base))
                .min(Comparator.comparingDouble((Variant f) -> f.cost().recomputedShare())
                        .thenComparingInt(f -> f.cost().passes()))
                .flatMap(f -> f.changes().stream()
                        .filter(change -> change.kind().equals(kind))
                        .findFirst());
    }

    private static Set<String> with(Set<String> some, Set<String> more) {
        Set<String> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    /** Whether a variant without its change of a kind costs no more than a base. */
    private static boolean isAsCheap(Variant f, String kind, Variant base) {
        Variant rest = new Variant(
                f.changes().stream().filter(c -> !c.kind().equals(kind)).toList(), f.run());
        return rest.cost().recomputedShare() <= base.cost().recomputedShare()
                && rest.cost().passes() <= base.cost().passes();
    }

    /** Whether a variant is not worth listing beside one that was found before. */
    static boolean isNeedless(Variant variant, List<Variant> before) {
        return before.stream().anyMatch(f -> isNeedless(variant, f));
    }

    /**
     * Whether less intrusive changes do without some of a variant's kinds. As intrusive ones, which free changes they
     * take does not matter, but the price does.
     */
    private static boolean isNeedless(Variant variant, Variant beside) {
        int intrusion = variant.intrusion().compareTo(beside.intrusion());
        return intrusion > 0 && variant.kinds().containsAll(beside.kinds())
                || intrusion == 0
                        && variant.pricedKinds().containsAll(beside.pricedKinds())
                        && !isMuchCheaper(variant.cost(), beside.cost());
    }

    private static boolean isMuchCheaper(Cost cost, Cost than) {
        double share = than.recomputedShare() - cost.recomputedShare();
        int passes = than.passes() - cost.passes();
        return share >= NOTABLE && passes >= 0 || share >= 0 && passes > 0;
    }
}
