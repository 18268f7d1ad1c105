package dev.headroom.validation.generate;

import java.util.List;

/** Layers that see the same elements in another form, or some of them. Their results are views mostly. */
final class Forms {
    private Forms() {}

    static void add(Fitting f, Block b) {
        switch (b.kind()) {
            case FLATTEN -> flatten(f);
            case TOKENS -> tokens(f);
            case IMAGE -> image(f);
            case REDUCE -> reduce(f, b);
            case CROP -> crop(f, b);
            case SPREAD -> spread(f, b);
            case HALVES -> halves(f);
            default -> throw new IllegalArgumentException(b.kind() + " changes no form");
        }
    }

    private static void flatten(Fitting f) {
        if (f.rank() > 1) {
            f.put(new RandomLayer.Flatten(), List.of(f.elements()), false);
        }
    }

    private static void tokens(Fitting f) {
        if (f.rank() == 3) {
            f.put(new RandomLayer.Tokens(), List.of(f.size(1) * f.size(2), f.size(0)), false);
        }
    }

    private static void image(Fitting f) {
        if (f.rank() == 2) {
            long height = (long) Math.sqrt((double) f.size(0));
            while (f.size(0) % height != 0) {
                height--;
            }
            long width = f.size(0) / height;
            f.put(new RandomLayer.Image(f.size(1), height, width), List.of(f.size(1), height, width), false);
        }
    }

    private static void reduce(Fitting f, Block b) {
        if (f.rank() != 2) {
            return;
        }
        List<Long> after = List.of(f.size(1));
        if (b.choice(0, 3) == 0) {
            f.put(new RandomLayer.Mean(), after, true);
        } else {
            f.put(new RandomLayer.Select(b.choice(0, 3) == 1 ? 0 : -1), after, false);
        }
    }

    private static void crop(Fitting f, Block b) {
        if (f.rank() == 2 && f.size(0) > 1) {
            long length = 1 + b.size() % (f.size(0) - 1);
            f.put(new RandomLayer.Crop(length), List.of(length, f.size(1)), false);
        }
    }

    private static void spread(Fitting f, Block b) {
        long copies = 1L + b.size() % 6;
        if (f.rank() == 1 && copies * f.elements() <= Fitting.MOST_ELEMENTS) {
            f.put(new RandomLayer.Spread(copies), List.of(copies, f.size(0)), false);
        }
    }

    private static void halves(Fitting f) {
        if (f.rank() < 3 && f.width() % 2 == 0) {
            f.put(new RandomLayer.Halves(), f.withWidth(f.width() / 2), true);
        }
    }
}
