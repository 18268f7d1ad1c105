package dev.headroom.advisor.plans;

/** What advice is after. */
public enum Goal {
    /** The samples of an optimizer step stay as many; they may be split into more passes. */
    KEEP_BATCH,
    /** The largest batch of one pass. */
    MAX_BATCH
}
