package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ways to go on from a stage of which none needs at most the bytes and recomputes at most what another does. */
final class Tradeoffs {
    /** Ways that are kept; with more the search is no longer exact. */
    private static final int MOST = 4_000;

    /**
     * A way to go on.
     *
     * @param need bytes at most, on top of what was left before
     * @param again FLOPs that it recomputes
     * @param first first stage of its first piece
     * @param last last stage of its first piece, inclusive
     * @param inner inside of the piece, if it is a checkpoint; {@code null}: a stored stage
     * @param rest what follows the piece, {@code null} at the end
     */
    record Continuation(
            long need,
            long again,
            int first,
            int last,
            @Nullable Continuation inner,
            @Nullable Continuation rest) {}

    private final long limit;
    private final long dearest;
    private List<Continuation> continuations = new ArrayList<>();
    private boolean exact = true;

    /**
     * None yet.
     *
     * @param limit bytes that a way may need at most
     * @param dearest FLOPs that it may recompute at most
     */
    Tradeoffs(long limit, long dearest) {
        this.limit = limit;
        this.dearest = dearest;
    }

    /** Those with a single way, which needs nothing. */
    static Tradeoffs end(long nothing) {
        Tradeoffs out = new Tradeoffs(nothing, 0);
        out.last(-1, nothing);
        return out;
    }

    boolean exact() {
        return exact;
    }

    /** The way with the least recomputation, or {@code null}. */
    @Nullable
    Continuation cheapest() {
        return continuations.isEmpty() ? null : continuations.get(continuations.size() - 1);
    }

    /** Takes in a way that is a single stored stage. */
    void last(int stage, long needs) {
        add(new Continuation(needs, 0, stage, stage, null, null));
    }

    /**
     * Takes in the ways that begin with a stored stage.
     *
     * @param leaves bytes that the stage leaves
     * @param needs bytes that it needs itself at most
     */
    void stored(int stage, long leaves, long needs, Tradeoffs rest) {
        for (Continuation r : rest.continuations) {
            add(new Continuation(Math.max(needs, leaves + r.need), r.again, stage, stage, null, r));
        }
    }

    /**
     * Takes in the ways that begin with a checkpoint. Within a number of bytes both its inside and what follows are the
     * cheapest within it, so that one walk over the numbers finds them all.
     *
     * @param besides bytes that are there while the checkpoint goes back
     * @param leaves bytes that it leaves
     * @param needs bytes that its forward pass needs at most
     * @param again FLOPs that it recomputes, besides those inside
     */
    void checkpoint(
            int first, int last, Tradeoffs inside, long besides, long leaves, long needs, long again, Tradeoffs rest) {
        if (inside.continuations.isEmpty() || rest.continuations.isEmpty()) {
            return;
        }
        int i = 0;
        int r = 0;
        long need = Math.max(
                needs, Math.max(inside.continuations.get(0).need + besides, rest.continuations.get(0).need + leaves));
        while (need <= limit) {
            long nextInside = inside.after(i, besides);
            long nextRest = rest.after(r, leaves);
            if (Math.min(nextInside, nextRest) <= need) {
                i += nextInside <= need ? 1 : 0;
                r += nextRest <= need ? 1 : 0;
                continue;
            }
            Continuation a = inside.continuations.get(i);
            Continuation b = rest.continuations.get(r);
            add(new Continuation(need, again + a.again + b.again, first, last, a, b));
            need = Math.min(nextInside, nextRest);
        }
    }

    private long after(int at, long shift) {
        return at + 1 < continuations.size() ? continuations.get(at + 1).need + shift : Long.MAX_VALUE;
    }

    private void add(Continuation continuation) {
        if (continuation.need <= limit && continuation.again <= dearest) {
            continuations.add(continuation);
        }
    }

    /** Forgets all ways that are beaten by others; to be called when all have been taken in. */
    void prune() {
        continuations.sort(Comparator.comparingLong(Continuation::need).thenComparingLong(Continuation::again));
        List<Continuation> front = new ArrayList<>();
        for (Continuation w : continuations) {
            if (front.isEmpty() || w.again < front.get(front.size() - 1).again) {
                front.add(w);
            }
        }
        exact = front.size() <= MOST;
        continuations = exact ? front : thinned(front);
    }

    private static List<Continuation> thinned(List<Continuation> all) {
        List<Continuation> some = new ArrayList<>(MOST);
        for (int i = 0; i < MOST; i++) {
            some.add(all.get((int) ((long) i * (all.size() - 1) / (MOST - 1))));
        }
        return some;
    }
}
