package dev.headroom.estimator.host;

import dev.headroom.estimator.repeat.Beginning;
import java.util.Arrays;

/** A thread of the process. */
public final class HostThread {
    static final int NO_HANDLE = -1;

    private final boolean backward;
    private final PlanCache plans = new PlanCache();
    private long operators;

    /** By device: the number of the cuBLAS handle that it has there, or {@link #NO_HANDLE}. */
    private final int[] handles;

    HostThread(boolean backward, int devices) {
        this.backward = backward;
        handles = new int[devices];
        Arrays.fill(handles, NO_HANDLE);
    }

    /** Whether it is one of autograd's workers. */
    public boolean isBackward() {
        return backward;
    }

    /** Plans of convolutions that it ran. */
    public PlanCache plans() {
        return plans;
    }

    /**
     * Number of the next operator that autograd records here; threads count apart (aten/src/ATen/SequenceNumber.cpp).
     */
    public long nextSequence() {
        return operators++;
    }

    void describe(Beginning to) {
        to.flag(backward);
        to.number(plans.size());
        for (int handle : handles) {
            to.number(handle);
        }
    }

    int handle(int device) {
        return handles[device];
    }

    void setHandle(int device, int handle) {
        handles[device] = handle;
    }
}
