package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.function.Supplier;

/** What one node of the tape records as a whole: the kernels in it record nothing (at::AutoDispatchBelowAutograd). */
public final class NoGrad {
    private NoGrad() {}

    /** The result of kernels that record nothing; the mode is the caller's again, also where a rule gives up. */
    public static <T> T call(EagerRuntime rt, Supplier<T> kernels) {
        boolean before = rt.setGradMode(false);
        try {
            return kernels.get();
        } finally {
            rt.setGradMode(before);
        }
    }
}
