package dev.headroom.executor.parallel.pipeline;

/**
 * Something that a rank does in a step of several stages (schedules.py, _Action).
 *
 * @param microbatch -1 where it concerns all
 */
record Action(int stage, Kind kind, int microbatch) {
    /** What is done (_ComputationType). */
    enum Kind {
        FORWARD,
        BACKWARD,
        SEND_FORWARD,
        RECEIVE_FORWARD,
        SEND_BACKWARD,
        RECEIVE_BACKWARD,
        /** For stages that are sharded; does nothing here, but takes its turn. */
        UNSHARD,
        RESHARD,
        REDUCE
    }

    static Action forward(int stage, int microbatch) {
        return new Action(stage, Kind.FORWARD, microbatch);
    }

    static Action backward(int stage, int microbatch) {
        return new Action(stage, Kind.BACKWARD, microbatch);
    }
}
