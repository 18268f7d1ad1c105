package dev.headroom.app.sweep.heat;

import dev.headroom.app.page.Template;
import java.io.Writer;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A heat map as a page: a table for each panel, whose cells are coloured; no script, nothing is fetched. */
final class HeatMapPage {
    private static final double GIB = 1L << 30;

    /** Classes of the style sheet. */
    private static final int SHADES = 10;

    private final HeatMap map;
    private final StringBuilder html = new StringBuilder();
    private long least = Long.MAX_VALUE;
    private long most;

    private HeatMapPage(HeatMap map) {
        this.map = map;
    }

    /** Writes the page; the writer stays open. */
    static void write(HeatMap map, Writer out) {
        HeatMapPage page = new HeatMapPage(map);
        page.bounds();
        map.panels().forEach(page::panel);
        Template.fill(
                Template.resource(HeatMapPage.class, "heat.html"),
                Map.of("x", escaped(map.x()), "y", escaped(map.y()), "panels", page.html.toString()),
                out);
    }

    private void bounds() {
        for (String panel : map.panels()) {
            for (long y : map.rows()) {
                for (long x : map.columns()) {
                    HeatMap.Cell cell = map.cell(panel, x, y);
                    if (cell != null && cell.bytes() != null) {
                        least = Math.min(least, cell.bytes());
                        most = Math.max(most, cell.bytes());
                    }
                }
            }
        }
    }

    private void panel(String panel) {
        html.append("<section><h2>").append(panel.isEmpty() ? "All scenarios" : escaped(panel));
        html.append("</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
                .append(panel.isEmpty() ? "Heat map" : escaped(panel))
                .append("\"><table><caption>GiB at the peak: ")
                .append(escaped(map.x()))
                .append(" across, ")
                .append(escaped(map.y()))
                .append(" down</caption><thead><tr><th scope=\"col\">")
                .append(escaped(map.y()))
                .append("</th>");
        map.columns().forEach(x -> html.append("<th scope=\"col\">").append(x).append("</th>"));
        html.append("</tr></thead><tbody>\n");
        for (long y : map.rows()) {
            html.append("<tr><th scope=\"row\">").append(y).append("</th>");
            map.columns().forEach(x -> cell(map.cell(panel, x, y)));
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div></section>\n");
    }

    private void cell(HeatMap.@Nullable Cell cell) {
        if (cell == null) {
            html.append("<td></td>");
        } else if (cell.bytes() == null) {
            html.append("<td class=\"no\">no</td>");
        } else {
            long shade = most == least ? 0 : (cell.bytes() - least) * (SHADES - 1) / (most - least);
            html.append("<td class=\"s")
                    .append(shade)
                    .append("\">")
                    .append(String.format(Locale.ROOT, "%.1f", cell.bytes() / GIB))
                    .append("</td>");
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
