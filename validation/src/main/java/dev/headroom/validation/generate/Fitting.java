package dev.headroom.validation.generate;

import java.util.ArrayList;
import java.util.List;

/**
 * Adds layers to a chain, each made to fit what the chain gives so far. Any block can be added anywhere: where one
 * makes no sense it adds nothing.
 */
final class Fitting {
    /** Elements of one sample that no layer exceeds. */
    static final long MOST_ELEMENTS = 1 << 15;

    /** Elements that no weight exceeds. */
    static final long MOST_WEIGHTS = 1 << 21;

    private static final int WIDER = 7;

    final boolean wide;
    private final List<RandomLayer> layers = new ArrayList<>();

    /** Of one sample: {@code [features]}, {@code [length, width]} or {@code [channels, height, width]}. */
    private List<Long> sizes;

    /** Whether autograd lets the next layer change its input: nobody else reads it, and it is no leaf. */
    private boolean writable;

    private boolean trained;

    Fitting(List<Long> sizes, boolean writable, boolean wide) {
        this.sizes = sizes;
        this.writable = writable;
        this.wide = wide;
    }

    List<Long> sizes() {
        return sizes;
    }

    long size(int dim) {
        return sizes.get(dim);
    }

    int rank() {
        return sizes.size();
    }

    /** The channels of an image, else the width. */
    long width() {
        return rank() == 3 ? size(0) : size(rank() - 1);
    }

    long elements() {
        return sizes.stream().mapToLong(Long::longValue).reduce(1, (a, b) -> a * b);
    }

    boolean writable() {
        return writable;
    }

    /** Whether a layer has parameters. */
    boolean trained() {
        return trained;
    }

    List<RandomLayer> layers() {
        return layers;
    }

    /** What was added, as one layer. */
    RandomLayer chain() {
        return new RandomLayer.Chain(List.copyOf(layers));
    }

    /** A chain of its own on this one's present result, which others read, too. */
    Fitting inner(List<Block> blocks) {
        Fitting inner = new Fitting(sizes, false, wide);
        blocks.forEach(inner::add);
        return inner;
    }

    /** Adds a layer that keeps the sizes. */
    void keep(RandomLayer layer, boolean writableAfter) {
        put(layer, sizes, writableAfter);
    }

    /** Adds a layer. */
    void put(RandomLayer layer, List<Long> after, boolean writableAfter) {
        layers.add(layer);
        sizes = after;
        writable = writableAfter;
    }

    /** Adds a layer with parameters. */
    void train(RandomLayer layer, List<Long> after) {
        put(layer, after, true);
        trained = true;
    }

    /** Notes that an inner layer has parameters. */
    void noteTrained(boolean inner) {
        trained |= inner;
    }

    /** Adds what a block asks for. */
    void add(Block block) {
        switch (block.kind()) {
            case RESIDUAL, GATE, REPEAT, CAT, ADD -> Composition.add(this, block);
            case FLATTEN, TOKENS, IMAGE, REDUCE, CROP, SPREAD, HALVES -> Forms.add(this, block);
            case CONV, POOL, UPSAMPLE, CONV_TRANSPOSE -> Images.add(this, block);
            default -> Rows.add(this, block);
        }
    }

    /** Adds what a block asks for, unless {@code wanted} is out of reach afterwards. */
    void addWhileReaching(Block block, List<Long> wanted) {
        int before = layers.size();
        List<Long> sizesBefore = sizes;
        boolean writableBefore = writable;
        add(block);
        if (!reaches(wanted)) {
            layers.subList(before, layers.size()).clear();
            sizes = sizesBefore;
            writable = writableBefore;
        }
    }

    /** A width for a linear layer over {@code in} features. */
    long linearWidth(int size, long in) {
        long wished = (1 + Math.floorMod(size, 256)) * (long) (wide ? WIDER : 1);
        long rows = rank() == 1 ? 1 : size(0);
        return Math.max(1, Math.min(wished, Math.min(MOST_WEIGHTS / in, MOST_ELEMENTS / rows)));
    }

    /** Sizes with another width. */
    List<Long> withWidth(long width) {
        List<Long> out = new ArrayList<>(sizes);
        out.set(rank() == 3 ? 0 : rank() - 1, width);
        return List.copyOf(out);
    }

    /** Adds what leads to other sizes of the same rank; sequences have to be as long. */
    void reach(List<Long> wanted) {
        if (sizes.equals(wanted)) {
            return;
        }
        if (rank() == 3) {
            if (size(1) != wanted.get(1) || size(2) != wanted.get(2)) {
                put(
                        new RandomLayer.AdaptiveAvgPool2d(wanted.get(1), wanted.get(2)),
                        List.of(size(0), wanted.get(1), wanted.get(2)),
                        true);
            }
            if (size(0) != wanted.get(0)) {
                train(new RandomLayer.Conv2d(size(0), wanted.get(0), 1, 1, 0, 1, 1, true), wanted);
            }
        } else if (!sizes.equals(wanted)) {
            train(new RandomLayer.Linear(width(), wanted.get(rank() - 1), true), wanted);
        }
    }

    /** Whether {@link #reach} can lead there. */
    boolean reaches(List<Long> wanted) {
        return rank() == wanted.size() && (rank() != 2 || size(0) == wanted.get(0));
    }
}
