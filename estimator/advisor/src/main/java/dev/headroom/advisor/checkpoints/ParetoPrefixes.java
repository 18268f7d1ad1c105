package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Beginnings of plans up to one stage, of which none leaves as much and costs as much as another, by the bytes that
 * they leave.
 */
final class ParetoPrefixes {
    /** Beginnings that are kept; with more the search is no longer exact. */
    private static final int MOST = 4_000;

    /**
     * A beginning of a plan.
     *
     * @param left bytes that it leaves
     * @param again FLOPs that it recomputes
     * @param before the same without the last piece, {@code null} for the empty one
     * @param stage the first of the last piece
     * @param checkpoint whether the last piece is one, or a stored stage
     */
    record Beginning(long left, long again, @Nullable Beginning before, int stage, boolean checkpoint) {}

    private final long budget;
    private List<Beginning> all = new ArrayList<>();

    /** @param budget bytes of the highest peak */
    ParetoPrefixes(long budget) {
        this.budget = budget;
    }

    /** Adds the beginning without pieces. */
    void begin() {
        all.add(new Beginning(0, 0, null, 0, false));
    }

    /** The one that recomputes least; there must be one. */
    Beginning cheapest() {
        return all.get(all.size() - 1);
    }

    /** Leaves only so many that the search ends in time; returns whether that was all. */
    boolean thin() {
        int size = all.size();
        if (size <= MOST) {
            return true;
        }
        List<Beginning> some = new ArrayList<>(MOST);
        for (int i = 0; i < MOST; i++) {
            some.add(all.get((int) ((long) i * (size - 1) / (MOST - 1))));
        }
        all = some;
        return false;
    }

    /**
     * Takes in the beginnings of another front with one more piece.
     *
     * @param leaves bytes that the piece leaves
     * @param needs bytes that it, and then the rest of any plan, needs at most on top of what is left before
     * @param again FLOPs that it recomputes
     */
    void extend(ParetoPrefixes from, int stage, boolean checkpoint, long leaves, long needs, long again) {
        List<Beginning> merged = new ArrayList<>(all.size() + from.all.size());
        long least = Long.MAX_VALUE;
        int mine = 0;
        int theirs = 0;
        int end = from.all.size();
        while (end > 0 && from.all.get(end - 1).left + needs > budget) {
            end--;
        }
        while (mine < all.size() || theirs < end) {
            Beginning own = mine < all.size() ? all.get(mine) : null;
            Beginning other = theirs < end ? from.all.get(theirs) : null;
            long left = other == null ? 0 : other.left + leaves;
            long price = other == null ? 0 : other.again + again;
            boolean ownFirst =
                    own != null && (other == null || own.left < left || own.left == left && own.again <= price);
            Beginning first = ownFirst ? own : null;
            if (first != null) {
                mine++;
            } else {
                theirs++;
            }
            long next = first != null ? first.again : price;
            if (next < least) {
                least = next;
                merged.add(first != null ? first : new Beginning(left, price, other, stage, checkpoint));
            }
        }
        all = merged;
    }
}
