package dev.headroom.advisor.checkpoints;

/**
 * Reads {@link StageCosts} off a play that stores all. A recomputation finds its inputs alive, makes again all that its
 * stages made, and then goes back through them as the stored stages did. The gradients that are alive at a moment of
 * the backward pass do not depend on the plan.
 */
final class CostReader {
    private final PassLog log;
    private final StorageLifetimes made;
    private final int n;
    private final long before;

    /**
     * Bytes alive when a stage's forward pass ends, without those that no later stage reads and that are not kept
     * either: Python variables hold them a little longer.
     */
    private final long[] end;

    /** What a stage's forward pass leaves. */
    private final long[] stored;

    /** Bytes from before stage i that the forward pass ends in stages i to j: a checkpoint keeps them. */
    private final long[][] inputs;

    /** By stages b and j: bytes made in stage b that are gone when the backward pass comes to stage j. */
    private final long[][] gone;

    /** By stages b and j: bytes made in b that stages after j read. */
    private final long[][] passedOn;

    /** Of those the bytes that outlive the pass. */
    private final long[][] passedAlive;

    /** Of those the bytes that are gone when the backward pass comes to stage j. */
    private final long[][] passedGone;

    CostReader(PassLog log, int stages) {
        this.log = log;
        this.made = log.made;
        this.n = stages;
        this.before = log.forwardStart[0];
        stored = new long[n];
        inputs = new long[n][n];
        gone = new long[n][n];
        passedOn = new long[n][n];
        passedAlive = new long[n][n];
        passedGone = new long[n][n];
        end = log.forwardEnd.clone();
        for (int s = 0; s < made.born.length; s++) {
            int freed = made.freed[s];
            if (made.born[s] >= 0 && freed < n && made.used[s] < freed) {
                for (int p = made.born[s]; p < freed; p++) {
                    end[p] -= log.events.bytes(s);
                }
            } else if (made.born[s] >= 0) {
                note(made.born[s], made.used[s], freed, made.released[s], log.events.bytes(s));
            }
        }
        for (int s = 0; s < n; s++) {
            stored[s] = end[s] - start(s);
        }
    }

    private long start(int stage) {
        return stage == 0 ? before : end[stage - 1];
    }

    /** Bytes that a stage's forward pass needs at most. */
    private long forward(int stage) {
        return log.forwardPeak[stage] - start(stage);
    }

    private void note(int born, int used, int freed, int released, long bytes) {
        if (freed < n) {
            for (int i = born + 1; i <= freed; i++) {
                for (int j = freed; j < n; j++) {
                    inputs[i][j] += bytes;
                }
            }
        }
        for (int j = born; j < n; j++) {
            boolean isGone = freed < n ? freed > j : released > j;
            gone[born][j] += isGone ? bytes : 0;
            if (used > j) {
                passedOn[born][j] += bytes;
                passedAlive[born][j] += freed == StorageLifetimes.NEVER && released < 0 ? bytes : 0;
                passedGone[born][j] += isGone ? bytes : 0;
            }
        }
    }

    /**
     * The costs.
     *
     * @param again by first and last stage: FLOPs that a checkpoint recomputes
     * @param allowed by first and last stage: whether the stages can be one checkpoint
     * @param reentrant whether a checkpoint's backward pass is a pass of its own inside of one node
     * @param sure whether only such bytes count that a plan is sure to need, for a bound; else all that are likely
     */
    StageCosts costs(long[][] again, boolean[][] allowed, boolean reentrant, boolean sure) {
        long[] storedPeak = new long[n];
        long[][] kept = new long[n][n];
        long[][] keptPeak = new long[n][n];
        for (int i = 0; i < n; i++) {
            long forward = sure ? log.forwardPeak[i] - log.forwardStart[i] : forward(i);
            storedPeak[i] = Math.max(forward, backward(i, stored[i], 0));
            for (int j = i; j < n; j++) {
                if (allowed[i][j]) {
                    kept[i][j] = sum(passedOn, i, j, j);
                    keptPeak[i][j] = checkpointPeak(i, j, reentrant, sure);
                }
            }
        }
        return new StageCosts(stored, storedPeak, kept, keptPeak, again, allowed, log.elsewhere - before);
    }

    /**
     * What checkpoints in checkpoints cost besides, by all bytes that are likely. The forward pass of an inner one,
     * which keeps only what later stages read, is held to need no less at a stage than where the stage keeps
     * everything.
     */
    NestedCosts nested(StageCosts flat, boolean reentrant) {
        long[] forward = new long[n];
        long[] backward = new long[n];
        long[][] passing = new long[n][n];
        long[][] leaves = new long[n][n];
        long[][] start = new long[n][n];
        long[][] besides = new long[n][n];
        long[][] besidesLast = new long[n][n];
        for (int i = 0; i < n; i++) {
            forward[i] = forward(i);
            backward[i] = log.backwardPeak[i] - end[i];
            long most = 0;
            for (int j = i; j < n; j++) {
                most = Math.max(most, forward(j) + (j == i ? 0 : sum(passedOn, i, j - 1, j - 1)));
                passing[i][j] = most;
                leaves[i][j] = makes(i, j);
                long outliving = sum(passedAlive, i, j, j);
                start[i][j] = remaking(i, j) + outliving;
                besides[i][j] = outliving + held(i, j, false, reentrant);
                besidesLast[i][j] = outliving + held(i, j, true, reentrant);
            }
        }
        return new NestedCosts(flat, forward, passing, backward, leaves, start, besides, besidesLast);
    }

    private static long sum(long[][] by, int from, int to, int at) {
        long sum = 0;
        for (int b = from; b <= to; b++) {
            sum += by[b][at];
        }
        return sum;
    }

    /**
     * At most in the backward pass of stage p, on top of what was left before stage i.
     *
     * @param own bytes that stages i to p made, before any of them were gone
     * @param besides bytes that are there besides
     */
    private long backward(int p, long own, long besides) {
        return log.backwardPeak[p] - end[p] + own + besides;
    }

    /** What is there when a checkpoint is made again, besides what was left before it and what outlives the pass. */
    private long remaking(int i, int j) {
        return log.backwardStart[j] - end[j] + sum(gone, i, j, j);
    }

    /**
     * A re-entrant checkpoint holds what it made again for others until its own backward pass is over, and the gradient
     * of that.
     */
    private long held(int i, int j, boolean last, boolean reentrant) {
        return !reentrant ? 0 : last ? sum(passedGone, i, j, j) : 2 * sum(passedOn, i, j, j);
    }

    /** At most for stages under one checkpoint. */
    private long checkpointPeak(int i, int j, boolean reentrant, boolean sure) {
        long outliving = sum(passedAlive, i, j, j);
        long start = remaking(i, j) + outliving;
        long most = sure ? 0 : start;
        long own = 0;
        for (int p = i; p <= j; p++) {
            // It may stop before its last stage is through.
            most = sure ? most : Math.max(most, start + own + forward(p));
            own += makes(i, p);
        }
        long besides = sure ? 0 : outliving;
        long heldLast = held(i, j, true, reentrant) + besides;
        long held = held(i, j, false, reentrant) + besides;
        for (int p = j; p >= i; p--) {
            most = Math.max(most, backward(p, own, p == j ? heldLast : held));
            own -= makes(i, p);
        }
        return most;
    }

    /** What stage p leaves when it is made again in a checkpoint from stage i on, whose inputs stay. */
    private long makes(int i, int p) {
        return stored[p] + inputs[i][p] - (p == i ? 0 : inputs[i][p - 1]);
    }
}
