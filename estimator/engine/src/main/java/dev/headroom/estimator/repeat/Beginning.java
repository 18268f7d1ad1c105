package dev.headroom.estimator.repeat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a step may depend on when it begins, as a list. Parts are told apart by the order in which they come up, and
 * so are pieces of memory: two lists are alike when the objects in one could stand in the places of those in the other
 * without anybody noticing. Numbers that only grow and are only compared with each other, as those of autograd's nodes,
 * are left out.
 *
 * <p>A model has thousands of parts, which all are looked at before a step: therefore plain arrays.
 */
public final class Beginning {
    private static final int NONE = -1;

    private final int list;
    private int[] numbers = new int[1 << 15];
    private int count;
    private final ArrayList<Object> constants = new ArrayList<>(1 << 12);
    private final ArrayList<Part> parts = new ArrayList<>(1 << 11);
    private final ArrayList<Memory> memory = new ArrayList<>(1 << 10);
    private boolean unknown;

    /** Whether what comes makes a difference. */
    private boolean counts = true;

    /** Memory that came up before what makes none. */
    private int counted;

    /** Parts that are described. */
    private int described;

    /** @param list its number, from 0: every list of the same parts has another */
    public Beginning(int list) {
        this.list = list + 1;
    }

    public void number(int value) {
        if (!counts) {
            return;
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        numbers[count++] = value;
    }

    public void number(long value) {
        number((int) value);
        number((int) (value >>> Integer.SIZE));
    }

    public void flag(boolean value) {
        number(value ? 1 : 0);
    }

    /** What equals another one may stand in its place. */
    public void constant(Object value) {
        if (counts) {
            constants.add(value);
        }
    }

    /** What comes from now on makes no difference, and is there. */
    public void othersAreInReach() {
        counts = false;
        counted = memory.size();
    }

    /** A part, with all that it leads to. */
    public void part(@Nullable Part part) {
        if (part == null) {
            number(NONE);
            return;
        }
        int place = part.placeIn(list, parts.size());
        if (place == parts.size()) {
            parts.add(part);
        }
        number(place);
    }

    public void parts(List<? extends @Nullable Part> all) {
        number(all.size());
        for (int i = 0; i < all.size(); i++) {
            part(all.get(i));
        }
    }

    /** A part that is a piece of memory adds itself. */
    public void memory(Memory piece) {
        boolean there = piece.number() >= 0;
        if (there) {
            memory.add(piece);
        }
        flag(there);
    }

    /** There is something of which is not known what it does to a step, such as a hook: nothing is like this. */
    public void unknown() {
        unknown = true;
    }

    public void unknownIf(boolean there) {
        unknown |= there;
    }

    /** Whether there is something of which is not known what it does. */
    public boolean isUnknown() {
        return unknown;
    }

    /** Describes the parts that came up since it was last called, those as well that come up by this. */
    public void complete() {
        while (described < parts.size()) {
            parts.get(described++).describe(this);
        }
    }

    /** The memory that makes a difference. */
    public List<Memory> countedMemory() {
        return counts ? memory : memory.subList(0, counted);
    }

    /** All memory that is in reach. */
    public List<Memory> memory() {
        return memory;
    }

    /** Whether all is known, and as in another list. */
    public boolean isLike(Beginning other) {
        return !unknown
                && !other.unknown
                && Arrays.equals(numbers, 0, count, other.numbers, 0, other.count)
                && constants.size() == other.constants.size()
                && hasConstantsOf(other);
    }

    @SuppressWarnings("ReferenceEquality") // most are the very same, and none changes
    private boolean hasConstantsOf(Beginning other) {
        for (int i = 0; i < constants.size(); i++) {
            Object mine = constants.get(i);
            Object its = other.constants.get(i);
            if (mine != its && !equal(mine, its)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equal(Object a, Object b) {
        return a instanceof long[] sizes ? b instanceof long[] others && Arrays.equals(sizes, others) : a.equals(b);
    }
}
