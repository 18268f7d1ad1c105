package dev.headroom.estimator.op.rule;

/** Thrown by a rule, before it did anything, for a call of its operator that it does not know. */
public final class NoRule extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoRule(String why) {
        super(why, null, false, false);
    }
}
