package dev.headroom.app.sweep;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.yaml.Yaml;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A grid in YAML: a mapping from options to a value or a list of values, or a list of such mappings. {@code null} is an
 * option left out, a list within the list several texts of one value, {@code 8..64 by 8} and {@code 1..256 x2} numbers.
 */
final class GridFile {
    private static final Pattern RANGE =
            Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})(?: (?:by (\\d{1,9})|x(\\d{1,9})))?");

    private GridFile() {}

    static Scenarios read(Path file, String text) {
        Yaml root = Yaml.parse(file.toString(), text);
        List<Map<String, List<List<String>>>> grids = new ArrayList<>();
        for (Yaml grid : root.list()) {
            grids.add(grid(grid));
        }
        Grid grid = new Grid(grids);
        long size = grids.stream().mapToLong(Grid::size).sum();
        if (size > Scenarios.MOST) {
            throw new UserInputException(
                    file + ": has more than " + Scenarios.MOST + " combinations; write fewer values, or several files");
        }
        return grid;
    }

    private static Map<String, List<List<String>>> grid(Yaml options) {
        if (!options.isMap()) {
            throw options.wrong("write options with their values, such as 'batch: [8, 16, 32]'");
        }
        Map<String, List<List<String>>> axes = new LinkedHashMap<>();
        options.map("a grid").forEach((word, given) -> {
            List<List<String>> values = values(given);
            if (values.isEmpty()) {
                throw given.wrong("'" + word + "' has no values; leave it out, or write null");
            }
            axes.put(word, values);
        });
        Scenarios.checked(options.file(), axes.keySet());
        return axes;
    }

    private static List<List<String>> values(Yaml given) {
        List<List<String>> values = new ArrayList<>();
        for (Yaml item : given.list()) {
            if (item.isList()) {
                values.add(item.list().stream().map(GridFile::word).toList());
            } else {
                add(values, item);
            }
        }
        return values;
    }

    private static void add(List<List<String>> values, Yaml item) {
        String text = word(item);
        Matcher range = RANGE.matcher(text);
        if (item.isNull()) {
            values.add(List.of());
        } else if (range.matches()) {
            numbers(range, item).forEach(n -> values.add(List.of(n)));
        } else {
            values.add(List.of(text));
        }
    }

    private static List<String> numbers(Matcher range, Yaml item) {
        long from = Long.parseLong(range.group(1));
        long to = Long.parseLong(range.group(2));
        long step = range.group(3) == null ? 1 : Long.parseLong(range.group(3));
        long factor = range.group(4) == null ? 1 : Long.parseLong(range.group(4));
        if (from > to || step < 1 || range.group(4) != null && (factor < 2 || from < 1)) {
            throw item.wrong("'" + range.group() + "' holds no numbers; write such as 1..64, 8..64 by 8 or 1..256 x2");
        }
        List<String> numbers = new ArrayList<>();
        for (long n = from; n <= to && numbers.size() <= Scenarios.MOST; n = factor > 1 ? n * factor : n + step) {
            numbers.add(Long.toString(n));
        }
        return numbers;
    }

    private static String word(Yaml value) {
        if (!value.isText()) {
            throw value.wrong("a value is a word or a number, or a list of them");
        }
        return value.text("a value");
    }
}
