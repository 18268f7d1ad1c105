package dev.headroom.estimator.parallel.group;

import java.util.Locale;

/** Operations of NCCL. */
public enum CollectiveKind {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    BROADCAST,
    REDUCE,
    SEND,
    RECV;

    /** As recordings and JSON write it, such as {@code all_reduce}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
