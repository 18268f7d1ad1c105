package dev.headroom.executor.parallel;

/** Another rank has ended, so that a collective that waits for it never comes to pass. */
public final class RanksLeftException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RanksLeftException() {
        super("another rank has left the group: a collective cannot complete");
    }
}
