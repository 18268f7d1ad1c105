package dev.headroom.app.sweep;

/**
 * A row among those that may be best.
 *
 * @param cost bytes of device memory
 * @param yield the batch, and how long its sequences are where they have a length
 */
record ParetoPoint(int row, long cost, long[] yield) {
    /** Whether this is as good in everything. */
    boolean covers(ParetoPoint other) {
        boolean covers = cost <= other.cost;
        for (int i = 0; i < yield.length; i++) {
            covers &= yield[i] >= other.yield[i];
        }
        return covers;
    }
}
