package dev.headroom.validation.generate;

import java.util.List;

/** Layers over the last dimension or over single elements, and those of sequences. */
final class Rows {
    private static final double[] DROPOUTS = {0.1, 0.5, 0.25, 0};
    private static final long MOST_STEPS = 6;
    private static final long MOST_SCORES = 1 << 16;

    private Rows() {}

    static void add(Fitting f, Block b) {
        switch (b.kind()) {
            case LINEAR -> linear(f, b);
            case ACTIVATION -> activation(f, b);
            case NORM -> norm(f, b);
            case DROPOUT -> dropout(f, b);
            case SOFTMAX -> f.keep(new RandomLayer.Softmax(), false);
            case ATTENTION -> attention(f, b);
            case RECURRENT -> recurrent(f, b);
            default -> throw new IllegalArgumentException(b.kind() + " is no layer of rows");
        }
    }

    private static void linear(Fitting f, Block b) {
        if (f.rank() == 3) {
            Images.pointwise(f, b);
            return;
        }
        long out = f.linearWidth(b.size(), f.width());
        f.train(new RandomLayer.Linear(f.width(), out, !b.is(0)), f.withWidth(out));
    }

    private static void activation(Fitting f, Block b) {
        Activation function = Activation.values()[b.choice(1, Activation.values().length)];
        boolean inPlace = b.is(0) && function.inPlace() && f.writable();
        f.keep(new RandomLayer.Activate(function, inPlace), !inPlace && !function.keepsResult());
    }

    private static void norm(Fitting f, Block b) {
        if (f.rank() != 3 || b.choice(0, 8) == 7) {
            long width = f.size(f.rank() - 1);
            f.train(new RandomLayer.LayerNorm(width), f.sizes());
        } else if (b.is(0)) {
            long groups = 1L + b.size() % 8;
            while (f.size(0) % groups != 0) {
                groups--;
            }
            f.train(new RandomLayer.GroupNorm(groups, f.size(0)), f.sizes());
        } else if (f.size(1) * f.size(2) > 1) { // a single value has no variance
            f.train(new RandomLayer.BatchNorm2d(f.size(0)), f.sizes());
        }
    }

    private static void dropout(Fitting f, Block b) {
        double p = DROPOUTS[b.choice(0, DROPOUTS.length)];
        f.keep(new RandomLayer.Dropout(p), p > 0 || f.writable());
    }

    private static void attention(Fitting f, Block b) {
        if (f.rank() != 2) {
            return;
        }
        long length = f.size(0);
        long width = f.size(1);
        long heads = 1L + b.size() % 8;
        while (width % heads != 0) {
            heads--;
        }
        boolean fused = !b.is(0);
        if (heads * length * length > MOST_SCORES) {
            return;
        }
        double p = DROPOUTS[DROPOUTS.length - 1 - b.choice(3, DROPOUTS.length)];
        f.train(
                new RandomLayer.Attention(length, width, heads, fused, !b.is(1), fused && b.is(2), p),
                List.of(length, width));
    }

    private static void recurrent(Fitting f, Block b) {
        if (f.rank() != 2 || f.size(0) > MOST_STEPS) {
            return;
        }
        long hidden = 1L + b.size() % 64;
        boolean stacked = b.is(0);
        f.noteTrained(true);
        f.put(
                new RandomLayer.Recurrent(f.size(1), hidden, f.size(0), stacked),
                stacked ? List.of(f.size(0), hidden) : List.of(hidden),
                stacked);
    }
}
