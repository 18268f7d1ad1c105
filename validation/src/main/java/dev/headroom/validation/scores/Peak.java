package dev.headroom.validation.scores;

/**
 * The highest value of a quantity in a run, in bytes.
 *
 * @param predicted by Headroom
 * @param measured in the run
 */
public record Peak(Quantity quantity, long predicted, long measured) {
    /** (predicted - measured) / measured. */
    public double error() {
        if (measured == 0) {
            return predicted == 0 ? 0 : 1;
        }
        return (predicted - measured) / (double) measured;
    }

    /** The error's size. */
    public double size() {
        return Math.abs(error());
    }
}
