package dev.headroom.app.plot;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.timeline.CategoryCurve;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.units.Mib;
import it.unimi.dsi.fastutil.doubles.DoubleArrayList;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.Styler.YAxisPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Memory over time: blocks stacked by category, reserved memory as a line above, the phases of the loop as columns, and
 * the device's memory where it is near. Along the x axis every event has the same width, as a simulation has no clock.
 */
final class MemoryPlot {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 600;
    private static final int COLUMNS = 1000;

    /** Letters of phase names that fit side by side; what is narrower than one has no line, than its name no name. */
    private static final int LETTERS = 130;

    private static final double GIB = Bytes.GIB;

    /**
     * The capacity is drawn when reserved memory takes at least this share of it: else the run is a line at the bottom.
     */
    private static final double NEAR = 0.4;

    /** From the bottom of the stack to its top: what lives longest is lowest. */
    private static final List<Category> ORDER = List.of(
            Category.PARAMETERS,
            Category.BUFFERS,
            Category.OPTIMIZER_STATE,
            Category.INPUTS,
            Category.WORKSPACES,
            Category.GRADIENTS,
            Category.OUTPUTS,
            Category.SAVED_ACTIVATIONS,
            Category.TEMPORARIES);

    private final PlayedRun run;
    private final Timeline timeline;
    private final double unit;
    private final XYChart chart;

    private MemoryPlot(PlayedRun run) {
        this.run = run;
        this.timeline = run.timeline();
        this.unit = run.prediction().peak().reserved() >= GIB ? GIB : Bytes.MIB;
        this.chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).build();
    }

    static XYChart of(PlayedRun run) {
        MemoryPlot plot = new MemoryPlot(run);
        plot.style();
        plot.curves();
        plot.phases();
        plot.capacity();
        return plot.chart;
    }

    private void style() {
        Prediction p = run.prediction();
        Prediction.Peak peak = p.peak();
        chart.setTitle(String.format(
                Locale.ROOT,
                "%s: peak %s allocated, %s reserved",
                p.model(),
                Mib.text(peak.allocated()),
                Mib.text(peak.reserved())));
        XYStyler s = chart.getStyler();
        Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
        s.setBaseFont(font);
        s.setChartTitleFont(font.deriveFont(Font.BOLD, 16f));
        s.setChartTitleBoxVisible(false);
        s.setLegendFont(font);
        s.setLegendPosition(LegendPosition.OutsideE);
        s.setLegendBorderColor(Color.WHITE);
        s.setAxisTickLabelsFont(font);
        s.setAxisTitleFont(font);
        s.setAnnotationTextFont(font.deriveFont(11f));
        s.setAnnotationTextFontColor(new Color(0x555555));
        s.setAnnotationLineColor(new Color(0xBBBBBB));
        s.setAnnotationLineStroke(new BasicStroke(0.8f));
        s.setChartBackgroundColor(Color.WHITE);
        s.setPlotBackgroundColor(Color.WHITE);
        s.setPlotBorderVisible(false);
        s.setPlotGridVerticalLinesVisible(false);
        s.setPlotGridLinesColor(new Color(0xE4E4E4));
        s.setPlotContentSize(1);
        s.setXAxisTicksVisible(false);
        s.setXAxisTitleVisible(false);
        s.setYAxisGroupPosition(0, YAxisPosition.Left);
        s.setYAxisDecimalPattern(unit == GIB ? "0.0" : "0");
        s.setYAxisMin(0.0);
        s.setYAxisMax(top());
        s.setMarkerSize(0);
        chart.setYAxisTitle(unit == GIB ? "GiB" : "MiB");
    }

    private double top() {
        double reserved = run.prediction().peak().reserved() / unit;
        if (timeline.size() == 0) {
            return 1; // an axis has a length, also when memory ran out before anything was allocated
        }
        return 1.12 * (nearCapacity() ? Math.max(reserved, room() / unit) : reserved);
    }

    private void curves() {
        CategoryCurve curve = new CategoryCurve(timeline, COLUMNS);
        double[] x = new double[curve.columns()];
        for (int i = 0; i < x.length; i++) {
            x[i] = curve.event(i);
        }
        reserved(curve);
        List<Category> shown = ORDER.stream().filter(c -> ever(curve, c)).toList();
        double[][] bounds = new double[shown.size() + 1][x.length];
        for (int k = 0; k < shown.size(); k++) {
            for (int i = 0; i < x.length; i++) {
                bounds[k + 1][i] = bounds[k][i] + curve.bytes(i, shown.get(k)) / unit;
            }
        }
        for (int k = shown.size() - 1; k >= 0; k--) { // the legend lists them as they lie, top first
            area(shown.get(k), x, bounds[k], bounds[k + 1]);
        }
    }

    /** Only where it changes: a vector file would hold every point. */
    private void reserved(CategoryCurve curve) {
        DoubleArrayList x = new DoubleArrayList();
        DoubleArrayList y = new DoubleArrayList();
        long before = -1;
        for (int i = 0; i < curve.columns(); i++) {
            long now = timeline.reserved(curve.event(i));
            if (now != before || i == curve.columns() - 1) {
                x.add(i == curve.columns() - 1 ? timeline.size() : curve.event(i));
                y.add(now / unit);
            }
            before = now;
        }
        if (x.isEmpty()) {
            corner(0, 0, x, y);
            corner(1, 0, x, y);
        }
        XYSeries line = chart.addSeries("reserved", x.toDoubleArray(), y.toDoubleArray());
        line.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step);
        line.setLineColor(new Color(0x222222));
        line.setLineWidth(1.4f);
        line.setMarker(SeriesMarkers.NONE);
    }

    /** A band with steps: there along its upper bound and back along the lower. */
    private void area(Category category, double[] x, double[] lower, double[] upper) {
        DoubleArrayList aroundX = new DoubleArrayList();
        DoubleArrayList aroundY = new DoubleArrayList();
        steps(x, upper, aroundX, aroundY);
        DoubleArrayList backX = new DoubleArrayList();
        DoubleArrayList backY = new DoubleArrayList();
        steps(x, lower, backX, backY);
        for (int i = backX.size() - 1; i >= 0; i--) {
            aroundX.add(backX.getDouble(i));
            aroundY.add(backY.getDouble(i));
        }
        XYSeries band =
                chart.addSeries(category.key().replace('_', ' '), aroundX.toDoubleArray(), aroundY.toDoubleArray());
        band.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        band.setFillColor(colour(category));
        band.setLineColor(colour(category));
        band.setLineStyle(SeriesLines.NONE);
        band.setMarker(SeriesMarkers.NONE);
    }

    /** The corners of a curve with steps. */
    private void steps(double[] x, double[] y, DoubleArrayList toX, DoubleArrayList toY) {
        for (int i = 0; i < x.length; i++) {
            if (i > 0 && y[i] != y[i - 1]) {
                corner(x[i], y[i - 1], toX, toY);
            }
            if (i == 0 || y[i] != y[i - 1]) {
                corner(x[i], y[i], toX, toY);
            }
        }
        corner(timeline.size(), y[y.length - 1], toX, toY);
    }

    private static void corner(double x, double y, DoubleArrayList toX, DoubleArrayList toY) {
        toX.add(x);
        toY.add(y);
    }

    private static boolean ever(CategoryCurve curve, Category c) {
        for (int i = 0; i < curve.columns(); i++) {
            if (curve.bytes(i, c) > 0) {
                return true;
            }
        }
        return false;
    }

    private void phases() {
        double letter = (double) timeline.size() / LETTERS;
        for (PhaseSpan span : timeline.phases()) {
            int wide = span.to() - span.from();
            if (span.from() > 0 && wide > letter) {
                chart.addAnnotation(new AnnotationLine(span.from(), true, false));
            }
            String name =
                    span.micro() == null || span.micro() == 0 ? span.phase().label() : "";
            if (wide > letter * name.length()) {
                chart.addAnnotation(new AnnotationText(name, span.from() + wide / 2.0, top() * 0.97, false));
            }
        }
    }

    private void capacity() {
        if (nearCapacity()) {
            AnnotationLine line = new AnnotationLine(room() / unit, false, false);
            chart.addAnnotation(line);
            chart.addAnnotation(new AnnotationText(
                    Mib.text(room()) + " for the allocator", timeline.size() * 0.09, room() / unit * 1.015, false));
        }
    }

    /** Whether a device was named and the run comes near its memory. */
    private boolean nearCapacity() {
        return room() < Long.MAX_VALUE && run.prediction().peak().reserved() >= NEAR * room();
    }

    /** Bytes that the allocator can get. */
    private long room() {
        Prediction p = run.prediction();
        if (p.device() == null) {
            return p.run() == null || run.request().device().limit() == null
                    ? Long.MAX_VALUE
                    : run.request().device().limit();
        }
        long context = p.peak().device() - p.peak().reserved();
        long room = p.device().memory() - p.device().inUse() - context;
        return p.device().limit() == null ? room : Math.min(room, p.device().limit());
    }

    /** Told apart by people who confuse red and green, and in grey. */
    private static Color colour(Category c) {
        return new Color(
                switch (c) {
                    case PARAMETERS -> 0x2B5C8A;
                    case BUFFERS -> 0x7B8FA6;
                    case OPTIMIZER_STATE -> 0x5E4FA2;
                    case INPUTS -> 0x999999;
                    case WORKSPACES -> 0x8C6D31;
                    case GRADIENTS -> 0xD1495B;
                    case OUTPUTS -> 0xC9A5D6;
                    case SAVED_ACTIVATIONS -> 0x66B2A4;
                    case TEMPORARIES -> 0xF2B84B;
                });
    }
}
