package dev.headroom.app.sweep;

import dev.headroom.app.ask.Question;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.WrittenOptions;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The scenarios of a sweep: numbered rows of options in words, of which {@code model} is one. */
public interface Scenarios {
    /** Most rows. */
    int MOST = 10_000_000;

    /** How many. */
    int size();

    /** The options of a row, from 0; what is left out of it stands for the default. */
    Map<String, List<String>> row(int number);

    /** All words of options, in the order of columns. */
    List<String> columns();

    /** Whether all that stands in a column are whole numbers. */
    boolean isWhole(String column);

    /**
     * Reads a file: a grid in YAML (or JSON), or a table in CSV.
     *
     * @throws UserInputException for a file that cannot be read: one line with what, where, and a remedy
     */
    static Scenarios read(Path file) {
        return read(file, text(file));
    }

    /** The same of the file's text. */
    static Scenarios read(Path file, String text) {
        boolean table = file.toString().toLowerCase(Locale.ROOT).endsWith(".csv");
        return table ? ScenarioTable.read(file, text) : GridFile.read(file, text);
    }

    /** What stands in a file of scenarios. */
    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new UserInputException(file + " does not exist", e);
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Refuses words that are no options, and a table that names no model. */
    static List<String> checked(String where, Iterable<String> words) {
        Set<String> columns = new LinkedHashSet<>();
        for (String word : words) {
            try {
                WrittenOptions.check(word, List.of(Question.MODEL));
            } catch (BadOption e) {
                throw new UserInputException(where + ": " + e.getMessage(), e);
            }
            if (!columns.add(word)) {
                throw new UserInputException(where + ": '" + word + "' stands there twice; leave out one of them");
            }
        }
        if (!columns.contains(Question.MODEL)) {
            throw new UserInputException(where + ": names no model; add 'model' with archives, configs or names that"
                    + " 'headroom models' lists");
        }
        return List.copyOf(columns);
    }
}
