package dev.headroom.estimator.compile.partition;

/** PyTorch's choice of things to keep (torch/_functorch/_activation_checkpointing/knapsack.py, dp_knapsack). */
final class Knapsack {
    /** Sizes are rounded to ten thousandths. */
    private static final int GRAIN = 10_000;

    private Knapsack() {}

    /**
     * Which things are kept so that their worth is greatest.
     *
     * @param sizes shares of the whole
     * @param worth of each; sums are as exact as in float32
     * @param room a share of the whole
     */
    static boolean[] chosen(double[] sizes, long[] worth, double room) {
        int capacity = (int) Math.rint(room * GRAIN);
        float[][] best = new float[sizes.length + 1][capacity + 1];
        int[] rounded = new int[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            rounded[i] = (int) Math.rint(sizes[i] * GRAIN);
            for (int j = 0; j <= capacity; j++) {
                float without = best[i][j];
                best[i + 1][j] = j < rounded[i] ? without : Math.max(without, best[i][j - rounded[i]] + worth[i]);
            }
        }
        boolean[] out = new boolean[sizes.length];
        int left = capacity;
        for (int i = sizes.length; i > 0; i--) {
            if (best[i][left] != best[i - 1][left]) {
                out[i - 1] = true;
                left -= rounded[i - 1];
            }
        }
        return out;
    }
}
