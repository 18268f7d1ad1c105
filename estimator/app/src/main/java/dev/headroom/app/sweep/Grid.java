package dev.headroom.app.sweep;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All combinations of values, made when they are asked for: the last option changes fastest. Several grids follow each
 * other.
 *
 * @param axes of each grid, by the word of the option: its values, each some texts, or none where it is left out
 */
record Grid(List<Map<String, List<List<String>>>> axes) implements Scenarios {
    /** @param axes copied */
    Grid {
        axes = List.copyOf(axes);
    }

    @Override
    public int size() {
        return axes.stream().mapToInt(Grid::size).sum();
    }

    /** Combinations of one grid. */
    static int size(Map<String, List<List<String>>> grid) {
        long size = 1;
        for (List<List<String>> values : grid.values()) {
            size = Math.min(Integer.MAX_VALUE, size * values.size());
        }
        return (int) size;
    }

    @Override
    public List<String> columns() {
        Set<String> words = new LinkedHashSet<>();
        axes.forEach(grid -> words.addAll(grid.keySet()));
        return List.copyOf(words);
    }

    @Override
    public boolean isWhole(String column) {
        return axes.stream()
                .flatMap(grid -> grid.getOrDefault(column, List.of()).stream())
                .allMatch(Column::isWhole);
    }

    @Override
    public Map<String, List<String>> row(int number) {
        int rest = number;
        for (Map<String, List<List<String>>> grid : axes) {
            int size = size(grid);
            if (rest < size) {
                return row(grid, rest, size);
            }
            rest -= size;
        }
        throw new IndexOutOfBoundsException(number);
    }

    private static Map<String, List<String>> row(Map<String, List<List<String>>> grid, int number, int size) {
        Map<String, List<String>> row = new LinkedHashMap<>();
        int block = size;
        int rest = number;
        for (Map.Entry<String, List<List<String>>> axis : grid.entrySet()) {
            block /= axis.getValue().size();
            List<String> texts = axis.getValue().get(rest / block);
            rest %= block;
            if (!texts.isEmpty()) {
                row.put(axis.getKey(), texts);
            }
        }
        return row;
    }
}
