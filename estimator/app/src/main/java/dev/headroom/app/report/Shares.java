package dev.headroom.app.report;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Decimals;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.List;

/** What the peak is made of: categories on the left, the largest layers on the right. */
final class Shares {
    private static final int NAME = 18;
    private static final int NUMBER = 10;
    private static final int BAR = 6;
    private static final int LAYER = 26;

    private Shares() {}

    private record Share(String name, long bytes) {}

    /** A heading and at most {@code most} rows. */
    static List<String> lines(Prediction p, Style style, int most) {
        List<Share> categories = categories(p, most);
        List<Share> layers = layers(p, categories.size());
        long total = Math.max(1, categories.stream().mapToLong(Share::bytes).sum());
        List<String> lines = new ArrayList<>();
        String right = layers.isEmpty() ? "" : Columns.left("Largest layers", LAYER) + Columns.right("MiB", NUMBER);
        String heading = Columns.left("At the peak", NAME) + Columns.right("MiB", NUMBER) + Columns.right("%", 5);
        lines.add(style.strong((heading + "  " + Columns.left("", BAR) + right).stripTrailing()));
        for (int i = 0; i < categories.size(); i++) {
            Share c = categories.get(i);
            double part = c.bytes() / (double) total;
            String bar = "#".repeat((int) Math.round(part * (BAR - 1)));
            String line = Columns.left(c.name(), NAME) + Columns.right(Mib.number(c.bytes()), NUMBER)
                    + Columns.right(percent(part), 5) + "  " + Columns.left(bar, BAR);
            if (i < layers.size()) {
                Share layer = layers.get(i);
                line += Columns.path(layer.name(), LAYER) + Columns.right(Mib.number(layer.bytes()), NUMBER);
            }
            lines.add(line.stripTrailing());
        }
        return lines;
    }

    /** One place after the point, but for the whole, which would touch the number before it. */
    private static String percent(double part) {
        String text = Decimals.fixed(100 * part, 1);
        return text.equals("100.0") ? "100" : text;
    }

    // Comparators are written out: what Comparator.comparingLong makes, Java makes anew at each start.

    /** All that is not zero, largest first; the smallest together when there are too many. */
    private static List<Share> categories(Prediction p, int most) {
        List<Share> all = new ArrayList<>();
        for (Category category : Category.values()) {
            all.add(new Share(category.key().replace('_', ' '), p.atPeak().getOrDefault(category, 0L)));
        }
        all.add(new Share("rounding", p.rounding()));
        all.add(new Share("cached, free", p.cachedFree()));
        all.removeIf(share -> share.bytes() == 0);
        all.sort((a, b) -> Long.compare(b.bytes(), a.bytes()));
        if (all.size() <= most) {
            return all;
        }
        List<Share> few = new ArrayList<>(all.subList(0, most - 1));
        long rest = all.subList(most - 1, all.size()).stream()
                .mapToLong(Share::bytes)
                .sum();
        few.add(new Share("other", rest));
        return few;
    }

    private static List<Share> layers(Prediction p, int most) {
        return p.layers().stream()
                .filter(layer -> layer.peakShare() > 0)
                .sorted((a, b) -> Long.compare(b.peakShare(), a.peakShare()))
                .limit(most)
                .map(layer -> new Share(name(layer), layer.peakShare()))
                .toList();
    }

    /** Module and operator; the module alone, without its first names, where both are too long for the column. */
    private static String name(LayerShare layer) {
        String operator = layer.operator().substring(layer.operator().indexOf('.') + 1);
        if (layer.module().isEmpty()) {
            return Columns.left("(model) " + operator, LAYER).stripTrailing(); // operators say most at their beginning
        }
        String both = layer.module() + " " + operator;
        return both.length() <= LAYER ? both : last(layer.module());
    }

    private static String last(String module) {
        String end = module;
        while (end.length() > LAYER - 2 && end.indexOf('.') >= 0) {
            end = end.substring(end.indexOf('.') + 1);
        }
        return end.equals(module) ? module : ".." + end;
    }
}
