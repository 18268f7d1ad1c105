package dev.headroom.validation.generate;

import java.util.ArrayList;
import java.util.List;

/**
 * Layers made of others. Where the parts do not match, their ends are projected; where they cannot, the first remains.
 */
final class Composition {
    private static final int MOST_TIMES = 3;

    private Composition() {}

    static void add(Fitting f, Block b) {
        switch (b.kind()) {
            case RESIDUAL -> residual(f, b);
            case GATE -> gate(f, b);
            case REPEAT -> repeat(f, b);
            case CAT, ADD -> branches(f, b);
            default -> throw new IllegalArgumentException(b.kind() + " is made of no others");
        }
    }

    /** The body alone. */
    private static void only(Fitting f, Fitting body) {
        if (!body.layers().isEmpty()) {
            f.put(body.chain(), body.sizes(), body.writable());
            f.noteTrained(body.trained());
        }
    }

    private static void residual(Fitting f, Block b) {
        Fitting body = f.inner(b.body());
        Fitting shortcut = f.inner(List.of());
        if (!shortcut.reaches(body.sizes())) {
            only(f, body);
            return;
        }
        if (b.is(0)) {
            body.reach(f.sizes());
        }
        shortcut.reach(body.sizes());
        boolean inPlace = b.is(1) && body.writable();
        boolean end = b.is(2);
        RandomLayer activation = new RandomLayer.Activate(Activation.RELU, b.is(3));
        f.noteTrained(body.trained() || shortcut.trained());
        f.put(
                new RandomLayer.Residual(
                        body.chain(),
                        shortcut.layers().isEmpty() ? null : shortcut.chain(),
                        end ? activation : null,
                        inPlace),
                body.sizes(),
                !end);
    }

    private static void gate(Fitting f, Block b) {
        Fitting body = f.inner(b.body());
        if (!body.reaches(f.sizes())) {
            only(f, body);
            return;
        }
        body.reach(f.sizes());
        f.noteTrained(body.trained());
        f.keep(new RandomLayer.Gate(body.chain()), true);
    }

    private static void repeat(Fitting f, Block b) {
        Fitting body = f.inner(b.body());
        if (!body.reaches(f.sizes())) {
            only(f, body);
            return;
        }
        body.reach(f.sizes());
        if (!body.layers().isEmpty()) {
            f.noteTrained(body.trained());
            f.keep(new RandomLayer.Repeat(body.chain(), 2 + b.size() % (MOST_TIMES - 1)), body.writable());
        }
    }

    private static void branches(Fitting f, Block b) {
        List<Fitting> parts = new ArrayList<>();
        for (List<Block> part : b.parts()) {
            Fitting inner = f.inner(part);
            if (parts.isEmpty() || inner.reaches(parts.get(0).sizes())) {
                parts.add(inner);
            }
        }
        if (parts.size() < 2) {
            parts.forEach(p -> only(f, p));
            return;
        }
        boolean join = b.kind() == Block.Kind.CAT;
        List<Long> first = parts.get(0).sizes();
        long width = 0;
        for (Fitting p : parts) {
            p.reach(join ? sameWidth(first, p.width()) : first);
            width += p.width();
            f.noteTrained(p.trained());
        }
        Integer dim = !join ? null : first.size() == 2 ? Integer.valueOf(2) : Integer.valueOf(1);
        List<Long> after = join ? parts.get(0).withWidth(width) : first;
        f.put(new RandomLayer.Branches(dim, parts.stream().map(Fitting::chain).toList()), after, true);
    }

    /** The first part's sizes, but for the width. */
    private static List<Long> sameWidth(List<Long> first, long width) {
        List<Long> out = new ArrayList<>(first);
        out.set(first.size() == 3 ? 0 : first.size() - 1, width);
        return out;
    }
}
