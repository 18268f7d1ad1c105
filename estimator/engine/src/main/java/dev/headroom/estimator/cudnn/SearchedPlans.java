package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.util.List;

/**
 * What {@code cudnn.benchmark} tries for a convolution of NCHW floats, and what it finds fastest.
 *
 * @param most bytes of the largest workspace among the plans
 * @param fastest bytes of the workspace of the plan that is kept
 */
public record SearchedPlans(long most, long fastest) {
    private static final double DIRECT = Double.parseDouble(System.getProperty("fd", "13")) * 1e12;
    private static final double TENSOR = Double.parseDouble(System.getProperty("ft", "70")) * 1e12;
    private static final double BANDWIDTH = Double.parseDouble(System.getProperty("bw", "1.3")) * 1e12;
    private static final long TILE = Long.getLong("tile", 128);
    private static final double WINO = Double.parseDouble(System.getProperty("wino", "0"));
    private static final boolean MOST = !Boolean.getBoolean("nomost");
    private static final long GTILE = Long.getLong("gtile", 32);

    /** Of a problem. */
    public static SearchedPlans of(ConvolutionProblem p) {
        if (p.channelsLast()) {
            return new SearchedPlans(0, 0);
        }
        long groups = p.groups();
        long unit = p.type().bytes();
        long x = product(p.x()) * unit;
        long y = product(p.y()) * unit;
        long w = product(p.w()) * unit;
        double flops = 2.0 * product(p.y()) * product(p.w()) / p.w().get(0);
        long cin = p.w().get(1);
        long cout = p.w().get(0) / groups;
        if (groups > 1) {
            x = x / cin * up(cin, GTILE);
            y = y / cout * up(cout, GTILE);
        } else {
            x = x / cin * up(cin, 4);
            y = y / cout * up(cout, 4);
        }
        long copies = x + y + w;
        long most = copies;
        if (groups == 1) {
            most += switch (p.direction()) {
                case FORWARD -> y / up(cout, 4) * up(cout, TILE);
                case DATA -> x / up(cin, 4) * up(cin, TILE);
                case FILTER -> 4 * w;
            };
        }
        double eff = groups > 1
                ? (double) cin / up(cin, GTILE) * cout / up(cout, GTILE)
                : Math.min(1, cin / 32.0) * Math.min(1, cout / 32.0);
        double direct = Math.max(flops / DIRECT, copies / BANDWIDTH);
        double tensor = Math.max(flops / (TENSOR * eff), copies / BANDWIDTH) + 2 * copies / BANDWIDTH;
        long fastest = tensor < direct ? copies : 0;
        boolean wino = groups == 1
                && p.w().get(2) == 3
                && p.w().get(3) == 3
                && p.stride().get(0) == 1
                && p.dilation().get(0) == 1;
        if (wino && WINO > 0) {
            most = Math.max(most, (long) (WINO * (x + y) + 4 * w));
        }
        return new SearchedPlans(MOST ? most : fastest, fastest);
    }

    private static long up(long n, long step) {
        return (n + step - 1) / step * step;
    }

    private static long product(List<Long> sizes) {
        return sizes.stream().mapToLong(s -> s).reduce(1, (a, b) -> a * b);
    }
}
