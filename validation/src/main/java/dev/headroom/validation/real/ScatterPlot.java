package dev.headroom.validation.real;

import dev.headroom.allocator.Bytes;
import java.util.Locale;

/** Predicted over measured bytes, both axes logarithmic, as SVG. */
final class ScatterPlot {
    private static final int SIZE = 480;
    private static final int MARGIN = 48;
    private static final double LEAST = Math.log10(1000);
    private static final double MOST = Math.log10(100_000);
    private static final int[] TICKS = {1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000};

    private ScatterPlot() {}

    static String of(RealScore s) {
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"11\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                SIZE,
                SIZE));
        for (int tick : TICKS) {
            double at = at((double) tick * Bytes.MIB);
            out.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"#ddd\" fill=\"none\"/>"
                            + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>"
                            + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>%n",
                    MARGIN + at,
                    MARGIN / 2,
                    SIZE - MARGIN,
                    MARGIN,
                    SIZE - MARGIN - at,
                    SIZE - MARGIN / 2,
                    MARGIN + at,
                    SIZE - MARGIN + 16,
                    tick,
                    MARGIN - 4,
                    SIZE - MARGIN - at + 4,
                    tick));
        }
        out.append(String.format(
                Locale.ROOT,
                "<path d=\"M%d %d L%.1f %.1f\" stroke=\"#888\" fill=\"none\"/>%n<path d=\"",
                MARGIN,
                SIZE - MARGIN,
                MARGIN + at(Math.pow(10, MOST) * Bytes.MIB),
                SIZE - MARGIN - at(Math.pow(10, MOST) * Bytes.MIB)));
        for (RealResult r : s.compared()) {
            out.append(String.format(
                    Locale.ROOT,
                    "M%.1f %.1fh0",
                    MARGIN + at((double) r.run().measured()),
                    SIZE - MARGIN - at((double) r.predicted(s.constant()))));
        }
        out.append(String.format(
                Locale.ROOT,
                "\" stroke=\"#1f6f8b\" stroke-opacity=\"0.45\" stroke-width=\"4\" stroke-linecap=\"round\""
                        + " fill=\"none\"/>%n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured MiB</text>"
                        + "<text x=\"12\" y=\"%d\" transform=\"rotate(-90 12 %d)\""
                        + " text-anchor=\"middle\">predicted MiB</text>%n</svg>%n",
                SIZE / 2,
                SIZE - 8,
                SIZE / 2,
                SIZE / 2));
        return out.toString();
    }

    private static double at(double bytes) {
        double part = (Math.log10(Math.max(bytes / Bytes.MIB, 1)) - LEAST) / (MOST - LEAST);
        return Math.min(1, Math.max(0, part)) * (SIZE - MARGIN - MARGIN / 2);
    }
}
