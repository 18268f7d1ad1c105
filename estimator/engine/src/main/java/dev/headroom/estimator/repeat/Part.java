package dev.headroom.estimator.repeat;

/** An object that steps leave to the ones after: a tensor, its memory, a node of the backward graph. */
public abstract class Part {
    /** The last list that it is in, and its place there. */
    private int list;

    private int place;

    /** Its place in a list, which it gets with this call when it is not there yet; then {@code next} is its place. */
    int placeIn(int which, int next) {
        if (list != which) {
            list = which;
            place = next;
        }
        return place;
    }

    /** Adds all that may matter to a later step; other parts by {@link Beginning#part}. */
    protected abstract void describe(Beginning to);
}
