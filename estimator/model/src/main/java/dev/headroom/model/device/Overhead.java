package dev.headroom.model.device;

import java.util.Locale;

/**
 * A line of {@code overheads.csv} or of a calibration: a part of device memory on some cards.
 *
 * @param loading {@code lazy}, {@code eager} or {@code *}
 * @param card a name, a compute capability such as {@code 8.6}, a generation such as {@code 8.x}, or {@code *}
 * @param likely bytes, or {@code N=BYTES:M=BYTES}: linear in the number of multiprocessors
 */
record Overhead(String part, String loading, String card, long low, String likely, long high, String source) {
    private static final String ANY = "*";
    private static final int FIELDS = 7;

    /**
     * Reads {@code part,loading,card,low,likely,high,source}; only the source may hold commas.
     *
     * @throws IllegalArgumentException with a short reason when the line is none
     */
    static Overhead parse(String line) {
        String[] f = line.split(",", FIELDS);
        if (f.length < FIELDS) {
            throw new IllegalArgumentException("has " + f.length + " fields instead of " + FIELDS);
        }
        Overhead o = new Overhead(f[0], f[1], f[2], Long.parseLong(f[3]), f[4], Long.parseLong(f[5]), f[6]);
        o.line(0);
        return o;
    }

    boolean fits(Gpu gpu, boolean lazy) {
        boolean loaded = loading.equals(ANY) || loading.equals(lazy ? "lazy" : "eager");
        String capability = gpu.major() + "." + gpu.minor();
        return loaded
                && (card.equals(ANY)
                        || card.equals(gpu.name().toLowerCase(Locale.ROOT))
                        || card.equals(capability)
                        || card.equals(gpu.major() + ".x"));
    }

    /** For a number of multiprocessors; what is likely is kept between the bounds. */
    DeviceLine line(int sms) {
        return new DeviceLine(part, low, Math.max(low, Math.min(high, likely(sms))), high, source);
    }

    private long likely(int sms) {
        String[] points = likely.split("[=:]");
        if (points.length == 1) {
            return Long.parseLong(likely);
        }
        long smallSms = Long.parseLong(points[0]);
        long small = Long.parseLong(points[1]);
        double slope = (Long.parseLong(points[3]) - small) / (double) (Long.parseLong(points[2]) - smallSms);
        return small + Math.round(slope * (sms - smallSms));
    }
}
