package dev.headroom.executor.host;

/** Lengths of differences, of some order, and how they change. */
final class HostDistances {
    private HostDistances() {}

    static double length(double order, double[] x, int ofX, double[] y, int ofY, int count) {
        double sum = 0;
        for (int p = 0; p < count; p++) {
            double z = Math.abs(x[ofX + p] - y[ofY + p]);
            if (Double.isInfinite(order)) {
                sum = Math.max(sum, z);
            } else {
                sum += order == 0 ? (z == 0 ? 0 : 1) : Math.pow(z, order);
            }
        }
        return order == 0 || Double.isInfinite(order) ? sum : Math.pow(sum, 1 / order);
    }

    /** How the length changes with one coordinate of the first point. */
    static double slope(double order, double difference, double length) {
        double size = Math.abs(difference);
        if (order == 0 || length == 0 || size == 0) {
            return 0;
        }
        if (Double.isInfinite(order)) {
            return size == length ? Math.signum(difference) : 0;
        }
        return Math.signum(difference) * Math.pow(size / length, order - 1);
    }
}
