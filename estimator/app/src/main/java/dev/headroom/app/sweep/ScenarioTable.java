package dev.headroom.app.sweep;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Scenarios in CSV: options in the first line, a row for each scenario. An empty cell is an option left out; several
 * texts of an option that may be repeated are parted by {@code ;}.
 */
record ScenarioTable(List<String> columns, List<String[]> rows) implements Scenarios {
    private static final CsvMapper MAPPER = CsvMapper.builder()
            .enable(CsvParser.Feature.WRAP_AS_ARRAY)
            .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
            .enable(CsvParser.Feature.TRIM_SPACES)
            .build();

    static Scenarios read(Path file, String text) {
        List<String[]> rows = new ArrayList<>();
        try (MappingIterator<String[]> lines =
                MAPPER.readerFor(String[].class).readValues(text.startsWith("\uFEFF") ? text.substring(1) : text)) {
            while (lines.hasNextValue()) {
                rows.add(lines.nextValue());
            }
        } catch (IOException e) {
            throw new UserInputException(
                    file + " line " + (rows.size() + 1) + ": " + firstLine(e) + "; it is no CSV", e);
        }
        if (rows.isEmpty()) {
            throw new UserInputException(file + " is empty; its first line names options, such as model,batch,gpu");
        }
        List<String> columns = Scenarios.checked(file.toString(), Arrays.asList(rows.remove(0)));
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).length > columns.size()) {
                throw new UserInputException(file + ": row " + (i + 1) + " has " + rows.get(i).length + " cells, but "
                        + columns.size() + " options are named; put cells with commas in quotes");
            }
        }
        return new ScenarioTable(columns, List.copyOf(rows));
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public boolean isWhole(String column) {
        int at = columns.indexOf(column);
        return rows.stream()
                .filter(cells -> at < cells.length && !cells[at].isEmpty())
                .allMatch(cells -> Column.isWhole(List.of(cells[at])));
    }

    @Override
    public Map<String, List<String>> row(int number) {
        Map<String, List<String>> row = new LinkedHashMap<>();
        String[] cells = rows.get(number);
        for (int i = 0; i < cells.length; i++) {
            if (!cells[i].isEmpty()) {
                row.put(columns.get(i), List.of(cells[i].split(";")));
            }
        }
        return row;
    }
}
