package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;

/** What tracing makes of a call of one operator. */
@FunctionalInterface
interface Rule {
    /** @return the results of the call, in order */
    Traced[] trace(Ops ops, Site site);

    /** A rule with one result. */
    @FunctionalInterface
    interface Single {
        Traced trace(Ops ops, Site site);
    }
}
