package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Free changes that take something off a peak, at most one of a kind. */
final class BestFreeChanges {
    /** A change has to save so many times what an earlier one of its kind does: those that come first cost least. */
    private static final double MUCH = 1.02;

    private final Catalogue catalogue;
    private final VariantPlayer player;

    BestFreeChanges(Catalogue catalogue, VariantPlayer player) {
        this.catalogue = catalogue;
        this.player = player;
    }

    /**
     * The best of each kind for any of the given variants: what does nothing for a run as it is may do much after
     * another change has moved the peak.
     */
    List<Change> of(List<Variant> variants) {
        Map<String, Change> best = new LinkedHashMap<>();
        for (Variant variant : variants) {
            Map<String, Long> saved = new LinkedHashMap<>();
            Outcome before = player.unbounded(variant.run());
            List<Change> open = catalogue.free(variant.run()).stream()
                    .filter(change -> !best.containsKey(change.kind()))
                    .toList();
            // Played on all processors; the player remembers.
            player.processors().map(open, change -> player.unbounded(change.of(variant.run())));
            for (Change change : open) {
                long saves = saved(before, player.unbounded(change.of(variant.run())));
                if (saves > MUCH * saved.getOrDefault(change.kind(), 0L)) {
                    saved.put(change.kind(), saves);
                    best.put(change.kind(), change);
                }
            }
        }
        return new ArrayList<>(best.values());
    }

    /** Bytes off the allocated peak; where that stays, off the reserved one. */
    private static long saved(Outcome before, Outcome after) {
        if (!before.fits() || !after.fits()) {
            return 0;
        }
        long allocated = before.allocated() - after.allocated();
        return allocated != 0 ? allocated : before.reserved() - after.reserved();
    }
}
