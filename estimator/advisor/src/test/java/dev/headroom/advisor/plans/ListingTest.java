package dev.headroom.advisor.plans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.CheckpointChanges;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.change.Intrusion;
import dev.headroom.advisor.change.MicroBatches;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ListingTest {
    private static final Variant START = Variant.of(Scenario.defaults());

    private static Change change(String kind, Intrusion intrusion, Cost cost) {
        return new Change(kind, kind, intrusion, cost, List.of(), List.of(), run -> run);
    }

    private static Change free(String kind) {
        return change(kind, Intrusion.NONE, Cost.NONE);
    }

    private static Change optimizer() {
        return change("optimizer", Intrusion.OPTIMIZER, Cost.NONE);
    }

    private static Change precision() {
        return change("precision", Intrusion.PRECISION, Cost.NONE);
    }

    private static Change passes(int passes) {
        return change(MicroBatches.KIND, Intrusion.WORK, new Cost(passes, 0L, 0));
    }

    private static Change checkpoints(double share) {
        return change(CheckpointChanges.KIND, Intrusion.WORK, new Cost(1, null, share));
    }

    @Test
    void otherOptimizerForTheSamePriceIsNotListed() {
        Variant first = START.with(optimizer()).with(free("allocator")).with(checkpoints(0.2));
        assertTrue(Listing.isNeedless(START.with(optimizer()).with(checkpoints(0.2)), List.of(first)));
        assertTrue(Listing.isNeedless(START.with(optimizer()).with(checkpoints(0.195)), List.of(first)));
        assertFalse(Listing.isNeedless(START.with(optimizer()).with(checkpoints(0.18)), List.of(first)));
        assertFalse(Listing.isNeedless(START.with(optimizer()).with(passes(2)), List.of(first)));
    }

    @Test
    void lessIntrusiveChangesMakeMoreIntrusiveOnesNeedlessWhateverThePrice() {
        Variant first = START.with(checkpoints(0.3));
        assertTrue(Listing.isNeedless(START.with(optimizer()).with(checkpoints(0.1)), List.of(first)));
        Variant freed = START.with(free("allocator")).with(checkpoints(0.3));
        assertFalse(Listing.isNeedless(START.with(optimizer()).with(checkpoints(0.1)), List.of(freed)));
    }

    @Test
    void onlyEarlierBasesTellWhatIsKnown() {
        Listing listing = new Listing();
        listing.add(List.of(START.with(optimizer()).with(passes(4))), 2);
        Variant base = START.with(optimizer());
        assertEquals(Optional.empty(), listing.known(base, 2, MicroBatches.KIND));
        assertEquals(
                4,
                listing.known(base, 3, MicroBatches.KIND).orElseThrow().cost().passes());
        assertEquals(Optional.empty(), listing.known(base, 3, CheckpointChanges.KIND));
    }

    @Provide
    Arbitrary<Variant> bases() {
        return Arbitraries.of(List.of(
                START,
                START.with(precision()),
                START.with(optimizer()),
                START.with(precision()).with(optimizer())));
    }

    @Provide
    Arbitrary<Variant> variants() {
        Arbitrary<List<Change>> more = Arbitraries.of(List.of(
                List.of(),
                List.of(passes(2)),
                List.of(passes(4)),
                List.of(checkpoints(0.1)),
                List.of(checkpoints(0.105)),
                List.of(checkpoints(0.2)),
                List.of(passes(2), checkpoints(0.1)),
                List.of(passes(4), checkpoints(0.05))));
        Arbitrary<List<Change>> free =
                Arbitraries.of(List.of(List.of(), List.of(free("allocator")), List.of(free("fused"))));
        return Combinators.combine(bases(), more, free)
                .as((base, some, others) -> base.with(some).with(others));
    }

    /** What a search is spared would not have been listed. */
    @Property
    void whatIsSparedIsNeedless(
            @ForAll List<@From("variants") Variant> found,
            @ForAll("bases") Variant base,
            @ForAll("variants") Variant other) {
        Listing listing = new Listing();
        listing.add(found, 0);
        Set<String> kinds = Set.of(MicroBatches.KIND, CheckpointChanges.KIND);
        if (listing.isSpared(base, kinds)) {
            List<Change> added = other.changes().stream()
                    .filter(c -> kinds.contains(c.kind()))
                    .toList();
            if (added.size() == kinds.size()) {
                assertTrue(Listing.isNeedless(base.with(added), found));
            }
        }
    }

    /** Upon a later base, what is no cheaper than what is known would not have been listed, alone or with another. */
    @Property
    void whatIsNoCheaperThanWhatIsKnownIsNeedless(
            @ForAll List<@From("variants") Variant> found,
            @ForAll("bases") Variant base,
            @ForAll @IntRange(min = 1, max = 4) int dearer) {
        Listing listing = new Listing();
        listing.add(found, 0);
        Optional<Change> passes = listing.known(base, 1, MicroBatches.KIND);
        passes.ifPresent(known -> {
            Variant same = base.with(passes(known.cost().passes() * dearer));
            assertTrue(Listing.isNeedless(same, found));
            assertTrue(Listing.isNeedless(base.with(passes(2)).with(checkpoints(0.01 * dearer)), found));
        });
        Optional<Change> checkpoints = listing.known(base, 1, CheckpointChanges.KIND);
        checkpoints.ifPresent(known -> {
            double share = known.cost().recomputedShare() * dearer;
            assertTrue(Listing.isNeedless(base.with(free("fused")).with(checkpoints(share)), found));
            assertTrue(Listing.isNeedless(base.with(passes(2)).with(checkpoints(0.01)), found));
        });
    }
}
