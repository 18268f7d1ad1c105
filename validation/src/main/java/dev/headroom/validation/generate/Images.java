package dev.headroom.validation.generate;

import java.util.List;

/** Layers of images. On anything else a convolution is a linear layer, and the rest is nothing. */
final class Images {
    private static final int MOST_CHANNELS = 48;
    private static final long[] KERNELS = {3, 1, 5, 2};

    private Images() {}

    static void add(Fitting f, Block b) {
        if (f.rank() != 3) {
            if (b.kind() == Block.Kind.CONV) {
                Rows.add(f, new Block(Block.Kind.LINEAR, b.size(), b.option(), List.of()));
            }
            return;
        }
        switch (b.kind()) {
            case CONV -> conv(f, b);
            case POOL -> pool(f, b);
            case UPSAMPLE -> upsample(f, b);
            case CONV_TRANSPOSE -> transposed(f, b);
            default -> throw new IllegalArgumentException(b.kind() + " is no layer of images");
        }
    }

    private static long channels(Block b, long height, long width) {
        long wished = 1L + Math.floorMod(b.size(), MOST_CHANNELS);
        return Math.max(1, Math.min(wished, Fitting.MOST_ELEMENTS / (height * width)));
    }

    /** A convolution of single pixels. */
    static void pointwise(Fitting f, Block b) {
        long out = channels(b, f.size(1), f.size(2));
        f.train(new RandomLayer.Conv2d(f.size(0), out, 1, 1, 0, 1, 1, !b.is(0)), f.withWidth(out));
    }

    private static void conv(Fitting f, Block b) {
        long kernel = KERNELS[b.choice(1, KERNELS.length)];
        long stride = 1L + b.choice(3, 2);
        long padding = kernel == 1 ? 0 : b.choice(4, 2) == 0 ? kernel / 2 : 0;
        long dilation = b.choice(5, 4) == 3 ? 2 : 1;
        long reach = dilation * (kernel - 1) + 1;
        long least = Math.min(f.size(1), f.size(2)) + 2 * padding;
        if (reach > least) {
            pointwise(f, b);
            return;
        }
        long height = (f.size(1) + 2 * padding - reach) / stride + 1;
        long width = (f.size(2) + 2 * padding - reach) / stride + 1;
        long in = f.size(0);
        long out = channels(b, height, width);
        long groups = 1;
        if (b.choice(7, 4) == 3) { // depthwise
            groups = in;
            out = in;
        } else if (b.choice(7, 4) == 2 && in % 2 == 0) {
            groups = 2;
            out += out % 2;
        }
        f.train(
                new RandomLayer.Conv2d(in, out, kernel, stride, padding, dilation, groups, !b.is(0)),
                List.of(out, height, width));
    }

    private static void transposed(Fitting f, Block b) {
        long kernel = 2L + b.choice(1, 2);
        long stride = 1L + b.choice(2, 2);
        long padding = kernel == 3 ? b.choice(3, 2) : 0;
        long extra = stride == 2 ? b.choice(4, 2) : 0;
        long height = (f.size(1) - 1) * stride - 2 * padding + kernel + extra;
        long width = (f.size(2) - 1) * stride - 2 * padding + kernel + extra;
        if (Math.min(height, width) < 1 || height * width > Fitting.MOST_ELEMENTS) {
            return;
        }
        long out = channels(b, height, width);
        f.train(
                new RandomLayer.ConvTranspose2d(f.size(0), out, kernel, stride, padding, extra, 1, !b.is(0)),
                List.of(out, height, width));
    }

    private static void pool(Fitting f, Block b) {
        int kind = b.choice(0, 3);
        if (kind == 2) {
            long height = 1L + b.size() % 4;
            long width = 1L + b.size() / 4 % 4;
            f.put(new RandomLayer.AdaptiveAvgPool2d(height, width), List.of(f.size(0), height, width), true);
            return;
        }
        long kernel = 2L + b.choice(2, 2);
        long stride = 1L + b.choice(3, 3);
        long padding = b.choice(5, 2);
        if (kernel > Math.min(f.size(1), f.size(2)) + 2 * padding) {
            return;
        }
        List<Long> after = List.of(
                f.size(0),
                (f.size(1) + 2 * padding - kernel) / stride + 1,
                (f.size(2) + 2 * padding - kernel) / stride + 1);
        RandomLayer layer = kind == 0
                ? new RandomLayer.MaxPool2d(kernel, stride, padding)
                : new RandomLayer.AvgPool2d(kernel, stride, padding);
        f.put(layer, after, true);
    }

    private static void upsample(Fitting f, Block b) {
        long factor = 2L + b.choice(1, 2);
        if (f.elements() * factor * factor <= Fitting.MOST_ELEMENTS) {
            f.put(
                    new RandomLayer.Upsample(factor, b.is(0)),
                    List.of(f.size(0), factor * f.size(1), factor * f.size(2)),
                    true);
        }
    }
}
