package dev.headroom.executor.host;

import dev.headroom.executor.kernel.PoolingKernels.RegionKind;
import dev.headroom.executor.kernel.PoolingKernels.Regions;

/** Where the elements of one pooled region come from. */
final class HostRegions {
    private final Regions how;
    private final int height;
    private final int width;
    private final int rows;
    private final int columns;

    /** What an element of an image gives to an element of a region. */
    interface Visitor {
        void take(int row, int column, double weight);
    }

    /** Along one dimension: where the region begins and how long a part is. */
    private record Span(double start, double part) {
        double whole(int parts) {
            return part * parts;
        }
    }

    /**
     * @param height of the images
     * @param rows parts of a region
     */
    HostRegions(Regions how, int height, int width, int rows, int columns) {
        this.how = how;
        this.height = height;
        this.width = width;
        this.rows = rows;
        this.columns = columns;
    }

    /** The channel of an image that an element of a region reads. */
    int channel(int channel, int row, int column) {
        boolean own = how.kind() == RegionKind.ALIGN_OF_CHANNELS || how.kind() == RegionKind.MEAN_OF_CHANNELS;
        return own ? (channel * rows + row) * columns + column : channel;
    }

    private Span span(double from, double to, int parts) {
        return switch (how.kind()) {
            case ALIGN -> {
                double shift = how.aligned() ? 0.5 : 0;
                double start = from * how.scale() - shift;
                double length = to * how.scale() - shift - start;
                yield new Span(start, (how.aligned() ? length : Math.max(length, 1)) / parts);
            }
            case ALIGN_OF_CHANNELS -> {
                double start = from * how.scale() - 0.5;
                yield new Span(start, (to * how.scale() - 0.5 - start) / parts);
            }
            case GREATEST -> {
                double start = rounded(from * how.scale());
                yield new Span(start, Math.max(rounded(to * how.scale()) - start + 1, 1) / parts);
            }
            case MEAN_OF_CHANNELS -> {
                double start = rounded(from * how.scale());
                yield new Span(start, Math.max(rounded(to * how.scale()) - start, 1) / parts);
            }
        };
    }

    /** Halves away from zero, as C rounds. */
    private static double rounded(double x) {
        return Math.copySign(Math.floor(Math.abs(x) + 0.5), x);
    }

    /** Elements with their weights; for the greatest one, all that compete. */
    void each(double[] region, int row, int column, Visitor visitor) {
        Span down = span(region[2], region[4], rows);
        Span across = span(region[1], region[3], columns);
        if (how.kind() == RegionKind.ALIGN || how.kind() == RegionKind.ALIGN_OF_CHANNELS) {
            samples(down, across, row, column, visitor);
            return;
        }
        boolean mean = how.kind() == RegionKind.MEAN_OF_CHANNELS;
        int top = bounded(Math.floor(row * down.part()) + down.start(), height, mean);
        int bottom = bounded(Math.ceil((row + 1) * down.part()) + down.start(), height, mean);
        int left = bounded(Math.floor(column * across.part()) + across.start(), width, mean);
        int right = bounded(Math.ceil((column + 1) * across.part()) + across.start(), width, mean);
        double weight = mean ? 1.0 / ((bottom - top) * (right - left)) : 1;
        for (int y = top; y < bottom; y++) {
            for (int x = left; x < right; x++) {
                visitor.take(y, x, weight);
            }
        }
    }

    private static int bounded(double place, int size, boolean mean) {
        return (int) Math.min(Math.max(place, 0), mean ? size - 1 : size);
    }

    private void samples(Span down, Span across, int row, int column, Visitor visitor) {
        long high = how.samples() > 0 ? how.samples() : (long) Math.ceil(down.whole(rows) / rows);
        long wide = how.samples() > 0 ? how.samples() : (long) Math.ceil(across.whole(columns) / columns);
        double share = 1.0 / Math.max(high * wide, 1);
        for (int i = 0; i < high; i++) {
            double y = down.start() + row * down.part() + (i + 0.5) * down.part() / high;
            for (int j = 0; j < wide; j++) {
                double x = across.start() + column * across.part() + (j + 0.5) * across.part() / wide;
                if (y >= -1 && y <= height && x >= -1 && x <= width) {
                    corners(Math.max(y, 0), Math.max(x, 0), share, visitor);
                }
            }
        }
    }

    private void corners(double y, double x, double share, Visitor visitor) {
        int top = Math.min((int) y, height - 1);
        int left = Math.min((int) x, width - 1);
        int bottom = Math.min(top + 1, height - 1);
        int right = Math.min(left + 1, width - 1);
        double below = top == height - 1 ? 0 : y - top;
        double beyond = left == width - 1 ? 0 : x - left;
        visitor.take(top, left, share * (1 - below) * (1 - beyond));
        visitor.take(top, right, share * (1 - below) * beyond);
        visitor.take(bottom, left, share * below * (1 - beyond));
        visitor.take(bottom, right, share * below * beyond);
    }
}
