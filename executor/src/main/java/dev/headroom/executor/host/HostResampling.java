package dev.headroom.executor.host;

import dev.headroom.executor.host.HostPoolings.Plane;
import dev.headroom.executor.host.HostPoolings.Weights;
import dev.headroom.executor.kernel.PoolingKernels.Scaling;

/** Where resampled elements come from (aten/src/ATen/native/UpSample.h, area_pixel_compute_source_index). */
final class HostResampling {
    private HostResampling() {}

    static Weights nearest(Plane from, Plane to, Scaling s) {
        return (row, column, visitor) -> {
            int r = near(row, from.height(), to.height(), s.scales()[0]);
            int c = near(column, from.width(), to.width(), s.scales()[1]);
            visitor.visit(r * from.width() + c, 1);
        };
    }

    private static int near(int at, int from, int to, double scale) {
        return Math.min((int) Math.floor(at * step(from, to, scale)), from - 1);
    }

    /** Elements of the source per element of the result. */
    private static double step(int from, int to, double scale) {
        return scale > 0 ? 1 / scale : (double) from / to;
    }

    static Weights bilinear(Plane from, Plane to, Scaling s) {
        return (row, column, visitor) -> {
            double y = source(row, from.height(), to.height(), s.alignCorners(), s.scales()[0]);
            double x = source(column, from.width(), to.width(), s.alignCorners(), s.scales()[1]);
            int top = (int) y;
            int left = (int) x;
            int bottom = Math.min(top + 1, from.height() - 1);
            int right = Math.min(left + 1, from.width() - 1);
            double down = y - top;
            double along = x - left;
            visitor.visit(top * from.width() + left, (1 - down) * (1 - along));
            visitor.visit(top * from.width() + right, (1 - down) * along);
            visitor.visit(bottom * from.width() + left, down * (1 - along));
            visitor.visit(bottom * from.width() + right, down * along);
        };
    }

    private static double source(int at, int from, int to, boolean corners, double scale) {
        if (corners) {
            return to > 1 ? at * (double) (from - 1) / (to - 1) : 0;
        }
        return Math.max(0, (at + 0.5) * step(from, to, scale) - 0.5);
    }
}
