package dev.headroom.estimator.compile.partition;

/** How much more may be computed again where less is to be kept ({@code choose_saved_values_set}). */
enum Leniency {
    /** All bans hold. */
    NONE,
    /** Heuristics that only save time do not. */
    NO_HEURISTICS,
    /** Of operators, only those that compute much stay banned. */
    INTENSIVE_ONLY
}
