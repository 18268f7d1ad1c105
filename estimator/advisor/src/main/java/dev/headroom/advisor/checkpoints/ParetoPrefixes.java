package dev.headroom.advisor.checkpoints;

/**
 * Beginnings of plans up to one stage, of which none leaves as much and costs as much as another, by the bytes that
 * they leave. A search makes millions of them, so that they are columns of numbers.
 */
final class ParetoPrefixes {
    /** Beginnings that are kept; with more the search is no longer exact. */
    private static final int MOST = 4_000;

    private static final int ROOM = 16;

    private final long budget;
    private int size;

    /** Bytes that each leaves, the least first. */
    private long[] left = new long[ROOM];

    /** FLOPs that each recomputes, the most first. */
    private long[] again = new long[ROOM];

    /** The first stage of the last piece, or its complement where the piece is a stored stage. */
    private int[] piece = new int[ROOM];

    /** Which of the beginnings up to that stage the piece follows. */
    private int[] before = new int[ROOM];

    /** @param budget bytes of the highest peak */
    ParetoPrefixes(long budget) {
        this.budget = budget;
    }

    /** Adds the beginning without pieces. */
    void begin() {
        resize(ROOM);
        put(0, 0, ~0, -1);
    }

    /** The number of the one that recomputes least; there must be one. */
    int cheapest() {
        return size - 1;
    }

    /** The first stage of a beginning's last piece. */
    int stage(int beginning) {
        return piece[beginning] >= 0 ? piece[beginning] : ~piece[beginning];
    }

    /** Whether a beginning's last piece is a checkpoint, or a stored stage. */
    boolean isCheckpoint(int beginning) {
        return piece[beginning] >= 0;
    }

    /** The number of the beginning without the last piece, among those up to its first stage. */
    int before(int beginning) {
        return before[beginning];
    }

    /** Leaves only so many that the search ends in time; returns whether that was all. */
    boolean thin() {
        if (size <= MOST) {
            return true;
        }
        for (int i = 0; i < MOST; i++) {
            int from = (int) ((long) i * (size - 1) / (MOST - 1));
            left[i] = left[from];
            again[i] = again[from];
            piece[i] = piece[from];
            before[i] = before[from];
        }
        size = MOST;
        return false;
    }

    /**
     * Takes in the beginnings of another front with one more piece.
     *
     * @param from those up to the piece's first stage, which stay as they are from now on
     * @param leaves bytes that the piece leaves
     * @param needs bytes that it, and then the rest of any plan, needs at most on top of what is left before
     * @param more FLOPs that it recomputes
     */
    void extend(ParetoPrefixes from, int stage, boolean checkpoint, long leaves, long needs, long more) {
        int end = from.size;
        while (end > 0 && from.left[end - 1] + needs > budget) {
            end--;
        }
        if (improves(from, end, leaves, more)) {
            ParetoPrefixes own = copy();
            resize(own.size + end);
            merge(own, from, end, checkpoint ? stage : ~stage, leaves, more);
        }
    }

    /** Whether any of the first beginnings of another front, with one more piece, is not beaten by one that is here. */
    private boolean improves(ParetoPrefixes from, int end, long leaves, long more) {
        int mine = 0;
        for (int theirs = 0; theirs < end; theirs++) {
            long bytes = from.left[theirs] + leaves;
            while (mine < size && left[mine] <= bytes) {
                mine++;
            }
            if (mine == 0 || again[mine - 1] > from.again[theirs] + more) {
                return true;
            }
        }
        return false;
    }

    private void merge(ParetoPrefixes own, ParetoPrefixes from, int end, int last, long leaves, long more) {
        long least = Long.MAX_VALUE;
        int mine = 0;
        int theirs = 0;
        while (mine < own.size || theirs < end) {
            long bytes = theirs < end ? from.left[theirs] + leaves : Long.MAX_VALUE;
            long price = theirs < end ? from.again[theirs] + more : Long.MAX_VALUE;
            boolean isOwn =
                    mine < own.size && (own.left[mine] < bytes || own.left[mine] == bytes && own.again[mine] <= price);
            if (isOwn && own.again[mine] < least) {
                put(own.left[mine], own.again[mine], own.piece[mine], own.before[mine]);
            } else if (!isOwn && price < least) {
                put(bytes, price, last, theirs);
            }
            least = size == 0 ? least : again[size - 1];
            mine += isOwn ? 1 : 0;
            theirs += isOwn ? 0 : 1;
        }
    }

    /** With the columns of this one, which gets others. */
    private ParetoPrefixes copy() {
        ParetoPrefixes out = new ParetoPrefixes(budget);
        out.size = size;
        out.left = left;
        out.again = again;
        out.piece = piece;
        out.before = before;
        return out;
    }

    private void resize(int room) {
        size = 0;
        left = new long[room];
        again = new long[room];
        piece = new int[room];
        before = new int[room];
    }

    private void put(long bytes, long price, int last, int follows) {
        left[size] = bytes;
        again[size] = price;
        piece[size] = last;
        before[size++] = follows;
    }
}
