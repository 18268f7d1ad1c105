package dev.headroom.estimator.repeat;

import java.util.Arrays;

/** Which storages stand, when a step or a pass is played again, in the places of those of the first time. */
public final class Renaming {
    private static final int NONE = -1;

    private final int[] numbers;
    private final int[] blocks;

    /** @param storages of the log when the step was first over */
    public Renaming(int storages) {
        numbers = new int[storages];
        blocks = new int[storages];
        Arrays.fill(numbers, NONE);
    }

    /**
     * Nothing stands yet for what is made while it is played.
     *
     * @param first of these storages
     */
    public void begin(int first) {
        Arrays.fill(numbers, first, numbers.length, NONE);
    }

    /** Has a storage and its block stand in the place of one. */
    public void put(int then, int now, int block) {
        numbers[then] = now;
        blocks[then] = block;
    }

    /** Whether anything stands in a storage's place. */
    public boolean knows(int then) {
        return numbers[then] != NONE;
    }

    /** What stands in a storage's place. */
    public int now(int then) {
        if (!knows(then)) {
            throw new IllegalStateException("nothing stands for storage " + then);
        }
        return numbers[then];
    }

    /** The allocator's handle of what stands in a storage's place; negative for none. */
    public int block(int then) {
        return blocks[then];
    }
}
