package dev.headroom.app.sweep;

import dev.headroom.model.error.UserInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * A grid in YAML: a mapping from options to a value or a list of values, or a list of such mappings. {@code null} is an
 * option left out, a list within the list several texts of one value, {@code 8..64 by 8} and {@code 1..256 x2} numbers.
 */
final class GridFile {
    private static final Pattern RANGE =
            Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})(?: (?:by (\\d{1,9})|x(\\d{1,9})))?");

    private final Path file;

    private GridFile(Path file) {
        this.file = file;
    }

    static Scenarios read(Path file, String text) {
        return new GridFile(file).grids(text);
    }

    private Scenarios grids(String text) {
        Node root;
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setLabel(file.toString())
                    .setSchema(new CoreSchema())
                    .build();
            root = new Compose(settings).composeString(text).orElseThrow(() -> bad("is empty"));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw bad("line " + line + ": " + e.getProblem() + "; it is no YAML");
        } catch (YamlEngineException e) {
            throw bad("is no YAML: " + e.getMessage());
        } catch (StackOverflowError e) { // the library has no limit of its own
            throw bad("is nested too deeply");
        }
        List<Map<String, List<List<String>>>> grids = new ArrayList<>();
        if (root instanceof SequenceNode list) {
            list.getValue().forEach(grid -> grids.add(grid(grid)));
        } else {
            grids.add(grid(root));
        }
        Grid grid = new Grid(grids);
        long size = grids.stream().mapToLong(Grid::size).sum();
        if (size > Scenarios.MOST) {
            throw bad("has more than " + Scenarios.MOST + " combinations; write fewer values, or several files");
        }
        return grid;
    }

    private Map<String, List<List<String>>> grid(Node node) {
        if (!(node instanceof MappingNode mapping)) {
            throw bad(line(node) + ": write options with their values, such as 'batch: [8, 16, 32]'");
        }
        List<String> words = new ArrayList<>();
        Map<String, List<List<String>>> axes = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            String word = scalar(entry.getKeyNode()).getValue();
            words.add(word);
            List<List<String>> values = values(entry.getValueNode());
            if (values.isEmpty()) {
                throw bad(line(entry.getValueNode()) + ": '" + word + "' has no values; leave it out, or write null");
            }
            axes.put(word, values);
        }
        Scenarios.checked(file.toString(), words);
        return axes;
    }

    private List<List<String>> values(Node node) {
        List<List<String>> values = new ArrayList<>();
        if (node instanceof SequenceNode list) {
            for (Node item : list.getValue()) {
                if (item instanceof SequenceNode texts) {
                    values.add(texts.getValue().stream()
                            .map(text -> scalar(text).getValue())
                            .toList());
                } else {
                    add(values, scalar(item));
                }
            }
        } else {
            add(values, scalar(node));
        }
        return values;
    }

    private void add(List<List<String>> values, ScalarNode scalar) {
        String text = scalar.getValue();
        Matcher range = RANGE.matcher(text);
        if (scalar.getTag().equals(Tag.NULL)) {
            values.add(List.of());
        } else if (range.matches()) {
            numbers(range, line(scalar)).forEach(n -> values.add(List.of(n)));
        } else {
            values.add(List.of(text));
        }
    }

    private List<String> numbers(Matcher range, String line) {
        long from = Long.parseLong(range.group(1));
        long to = Long.parseLong(range.group(2));
        long step = range.group(3) == null ? 1 : Long.parseLong(range.group(3));
        long factor = range.group(4) == null ? 1 : Long.parseLong(range.group(4));
        if (from > to || step < 1 || range.group(4) != null && (factor < 2 || from < 1)) {
            throw bad(
                    line + ": '" + range.group() + "' holds no numbers; write such as 1..64, 8..64 by 8 or 1..256 x2");
        }
        List<String> numbers = new ArrayList<>();
        for (long n = from; n <= to && numbers.size() <= Scenarios.MOST; n = factor > 1 ? n * factor : n + step) {
            numbers.add(Long.toString(n));
        }
        return numbers;
    }

    private ScalarNode scalar(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar;
        }
        throw bad(line(node) + ": a value is a word or a number, or a list of them");
    }

    private static String line(Node node) {
        return "line " + node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private UserInputException bad(String what) {
        return new UserInputException(file + (what.startsWith("line") ? " " : ": ") + what);
    }
}
