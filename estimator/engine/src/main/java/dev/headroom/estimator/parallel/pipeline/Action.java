package dev.headroom.estimator.parallel.pipeline;

import java.util.List;

/**
 * One thing that a rank does for a stage.
 *
 * @param microbatch -1 where it is for none
 * @param both what {@link Kind#OVERLAP} does one after the other; else empty
 */
record Action(int stage, Kind kind, int microbatch, List<Action> both) {
    /** torch/distributed/pipelining/schedules.py, _ComputationType. */
    enum Kind {
        FORWARD,
        FULL_BACKWARD,
        BACKWARD_INPUT,
        BACKWARD_WEIGHT,
        OVERLAP,
        SEND_F,
        RECV_F,
        SEND_B,
        RECV_B,
        UNSHARD,
        RESHARD,
        REDUCE_GRAD
    }

    static Action of(int stage, Kind kind, int microbatch) {
        return new Action(stage, kind, microbatch, List.of());
    }

    static Action overlap(Action forward, Action backward) {
        return new Action(-1, Kind.OVERLAP, -1, List.of(forward, backward));
    }

    /** The action itself, or the two that it stands for. */
    List<Action> parts() {
        return kind == Kind.OVERLAP ? both : List.of(this);
    }

    /** Whether the stage runs. */
    boolean computes() {
        return kind == Kind.FORWARD
                || kind == Kind.FULL_BACKWARD
                || kind == Kind.BACKWARD_INPUT
                || kind == Kind.BACKWARD_WEIGHT;
    }

    boolean isGradientOfInput() {
        return kind == Kind.BACKWARD_INPUT || kind == Kind.FULL_BACKWARD;
    }
}
