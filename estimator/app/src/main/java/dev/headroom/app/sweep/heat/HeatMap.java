package dev.headroom.app.sweep.heat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Device memory at the peak over two options with whole numbers; a panel for each combination of all the others. */
public final class HeatMap {
    /**
     * What a place of a panel says.
     *
     * @param bytes of device memory at the peak, or {@code null} where the run does not get through
     * @param fits {@code null} where no card is named
     */
    public record Cell(@Nullable Long bytes, @Nullable Boolean fits) {}

    private final String x;
    private final String y;
    private final SortedSet<Long> columns = new TreeSet<>();
    private final SortedSet<Long> rows = new TreeSet<>();
    private final Map<String, Map<List<Long>, Cell>> panels = new LinkedHashMap<>();

    /**
     * An empty map.
     *
     * @param x the option along the x axis
     * @param y the option along the y axis
     */
    public HeatMap(String x, String y) {
        this.x = x;
        this.y = y;
    }

    /**
     * Adds a place.
     *
     * @param panel the other options in words
     */
    public void add(String panel, long atX, long atY, Cell cell) {
        columns.add(atX);
        rows.add(atY);
        panels.computeIfAbsent(panel, any -> new HashMap<>()).put(List.of(atX, atY), cell);
    }

    /** The option along the x axis. */
    public String x() {
        return x;
    }

    /** The option along the y axis. */
    public String y() {
        return y;
    }

    List<Long> columns() {
        return List.copyOf(columns);
    }

    List<Long> rows() {
        return List.copyOf(rows);
    }

    /** The other options of each panel, in words. */
    public List<String> panels() {
        return List.copyOf(panels.keySet());
    }

    @Nullable
    Cell cell(String panel, long atX, long atY) {
        return panels.getOrDefault(panel, Map.of()).get(List.of(atX, atY));
    }
}
