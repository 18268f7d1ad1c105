package dev.headroom.estimator.compile.rule;

/** A call that no rule takes; it is treated as an eager kernel, and named. */
final class NoDecomposition extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoDecomposition(String what) {
        super(what);
    }
}
