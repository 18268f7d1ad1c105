package dev.headroom.advisor.checkpoints;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.run.Phase;

/**
 * The last forward and backward pass of a run that stores all, stage by stage: the bytes alive when a stage begins, at
 * most while it runs, and when it ends. Bytes are those asked for, rounded as the allocator rounds them.
 */
final class PassLog {
    final StorageLifetimes made;
    final PassEvents events;
    final long[] forwardStart;
    final long[] forwardPeak;
    final long[] forwardEnd;
    final long[] backwardStart;
    final long[] backwardPeak;

    /** The highest number of bytes outside of forward and backward passes. */
    long elsewhere;

    private final EventLog log;
    private final int count;
    private int at;
    private long now;

    /** @param run that stores all and got through */
    PassLog(Simulation run, Stages stages) {
        log = run.log();
        count = stages.size();
        made = new StorageLifetimes(log.storages());
        events = new PassEvents(run, stages);
        forwardStart = new long[count];
        forwardPeak = new long[count];
        forwardEnd = new long[count];
        backwardStart = new long[count];
        backwardPeak = new long[count];
        read(run);
        made.readUses(run, stages);
    }

    private void read(Simulation run) {
        int phase = 0;
        int seen = 0;
        for (int e = 0; e < log.size(); e++) {
            while (e >= run.history().end(phase)) {
                phase++;
            }
            step(e);
            boolean begins = !log.isFree(e) && log.storage(e) == seen;
            seen += begins ? 1 : 0;
            count(e, begins);
            boolean pass = e >= events.first && e < events.end;
            if (pass) {
                long[] peak = e < events.turn ? forwardPeak : backwardPeak;
                peak[at] = Math.max(peak[at], now);
            } else if (isElsewhere(run.phases().get(phase).phase())) {
                elsewhere = Math.max(elsewhere, now);
            }
        }
        if (events.end == log.size()) {
            step(events.end);
        }
    }

    private static boolean isElsewhere(Phase phase) {
        return phase != Phase.FORWARD && phase != Phase.LOSS && phase != Phase.BACKWARD;
    }

    /** Goes to the stage of an event; stages without events begin and end at once. */
    private void step(int event) {
        if (event == events.first) {
            at = 0;
            enterForward(0);
        } else if (event == events.turn) {
            ahead(count - 1);
            forwardEnd[count - 1] = now;
            enterBackward(count - 1);
        } else if (event == events.end) {
            back(0);
        }
        if (event >= events.first && event < events.turn) {
            ahead(events.stage(event));
        } else if (event >= events.turn && event < events.end) {
            back(events.stage(event));
        }
    }

    private void ahead(int stage) {
        while (at < stage) {
            forwardEnd[at] = now;
            enterForward(++at);
        }
    }

    private void back(int stage) {
        while (at > stage) {
            enterBackward(--at);
        }
    }

    private void enterForward(int stage) {
        forwardStart[stage] = now;
        forwardPeak[stage] = now;
    }

    private void enterBackward(int stage) {
        backwardStart[stage] = now;
        backwardPeak[stage] = now;
    }

    private void count(int event, boolean begins) {
        int storage = log.storage(event);
        boolean forward = event >= events.first && event < events.turn;
        boolean backward = event >= events.turn && event < events.end;
        if (log.isFree(event)) {
            now -= events.bytes(storage);
            if (forward && made.born[storage] >= 0) {
                made.freed[storage] = at;
            } else if (backward && made.born[storage] >= 0) {
                made.released[storage] = at;
            }
        } else if (begins) {
            now += events.bytes(storage);
            made.born[storage] = forward ? at : -1;
        }
    }

    /**
     * Bytes that are alive at some moment of the run whatever is recomputed: all but what other stages' forward passes
     * made. While a stage's backward pass runs, what it keeps itself is there, stored or made again.
     */
    long necessary() {
        long most = elsewhere;
        boolean[] alive = new boolean[log.storages()];
        int seen = 0;
        int stage = count;
        long held = 0;
        for (int e = 0; e < events.end; e++) {
            int storage = log.storage(e);
            boolean begins = !log.isFree(e) && storage == seen;
            seen += begins ? 1 : 0;
            if (begins) {
                alive[storage] = true;
            }
            if (e >= events.turn && events.stage(e) != stage) {
                stage = events.stage(e);
                held = heldAt(stage, alive, seen);
            } else if (e >= events.turn && needed(storage, stage)) {
                held += begins ? events.bytes(storage) : log.isFree(e) ? -events.bytes(storage) : 0;
            }
            if (log.isFree(e)) {
                alive[storage] = false;
            }
            most = Math.max(most, held);
        }
        return most;
    }

    /** Whether a storage is one that no plan does without while a stage's backward pass runs. */
    private boolean needed(int storage, int stage) {
        int born = made.born[storage];
        return born < 0 || born == stage || made.released[storage] == stage || made.released[storage] < 0;
    }

    private long heldAt(int stage, boolean[] alive, int seen) {
        long sum = 0;
        for (int s = 0; s < seen; s++) {
            sum += alive[s] && needed(s, stage) ? events.bytes(s) : 0;
        }
        return sum;
    }
}
