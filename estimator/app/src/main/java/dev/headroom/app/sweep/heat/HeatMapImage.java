package dev.headroom.app.sweep.heat;

import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HeatMapChartBuilder;
import org.knowm.xchart.style.HeatMapStyler;

/** A panel of a heat map as a chart: GiB, and white where a run does not fit. */
final class HeatMapImage {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    private static final double GIB = 1L << 30;

    /** Places whose number can be read. */
    private static final int READABLE = 240;

    /** From little to much: light to dark, so that a print tells it, too; black numbers can be read on all. */
    private static final Color[] COLOURS = {
        new Color(0xF0F6FB), new Color(0xCDE1F1), new Color(0xA5CAE6), new Color(0x7FB2DB), new Color(0x5C9BD0)
    };

    private HeatMapImage() {}

    static HeatMapChart of(HeatMap map) {
        String panel = map.panels().get(0);
        HeatMapChart chart = new HeatMapChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Device memory at the peak, GiB; white does not fit")
                .xAxisTitle(map.x())
                .yAxisTitle(map.y())
                .build();
        HeatMapStyler style = chart.getStyler();
        style.setChartBackgroundColor(Color.WHITE);
        style.setPlotBackgroundColor(Color.WHITE);
        style.setPlotBorderVisible(false);
        style.setPlotContentSize(1);
        style.setRangeColors(COLOURS);
        style.setShowValue(map.columns().size() * map.rows().size() <= READABLE);
        style.setHeatMapDecimalValueFormatter(gib -> String.format(Locale.ROOT, "%.1f", gib));
        style.setValueFontColor(Color.BLACK);
        style.setPlotGridLinesVisible(false);
        style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 16));
        List<Number[]> places = new ArrayList<>();
        for (int x = 0; x < map.columns().size(); x++) {
            for (int y = 0; y < map.rows().size(); y++) {
                HeatMap.Cell cell =
                        map.cell(panel, map.columns().get(x), map.rows().get(y));
                if (cell != null && cell.bytes() != null) {
                    places.add(new Number[] {x, y, cell.bytes() / GIB});
                }
            }
        }
        chart.addSeries("memory", map.columns(), map.rows(), places);
        return chart;
    }
}
