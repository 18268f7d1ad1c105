package dev.headroom.estimator.parallel.group;

import java.util.ArrayList;
import java.util.List;

/** The collectives of each phase, in order; neighbours that are alike make one row. */
public final class CollectiveLog {
    private final List<List<CollectiveRow>> phases = new ArrayList<>();
    private final List<Integer> streams = new ArrayList<>();
    private List<CollectiveRow> open = new ArrayList<>();
    private int communicators;

    /** Notes one collective. */
    public void add(CollectiveRow row) {
        int last = open.size() - 1;
        if (last >= 0 && row.repeats(open.get(last))) {
            open.set(last, row.times(open.get(last).times() + row.times()));
        } else {
            open.add(row);
        }
    }

    /** The number of a communicator that is used for the first time. */
    public int nextCommunicator() {
        return communicators++;
    }

    /** The number under which recordings list a stream: 1 for the first that was used beside the default one, 0. */
    public int streamNumber(int stream) {
        if (stream == 0) {
            return 0;
        }
        if (!streams.contains(stream)) {
            streams.add(stream);
        }
        return streams.indexOf(stream) + 1;
    }

    /** What follows belongs to the next phase. */
    public void endPhase() {
        phases.add(List.copyOf(open));
        open = new ArrayList<>();
    }

    /** By phase; what came after the last one ended is not among them. */
    public List<List<CollectiveRow>> phases() {
        return List.copyOf(phases);
    }
}
