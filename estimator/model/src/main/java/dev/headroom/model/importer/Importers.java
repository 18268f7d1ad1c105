package dev.headroom.model.importer;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import java.util.function.Function;

/** Reads a model file of any known format. */
public final class Importers {
    private Importers() {}

    /**
     * Reads the model with the importer that recognises the file's content.
     *
     * @throws UserInputException if the file is missing, of no known format, or cannot be read
     */
    public static Graph read(Path file) {
        return read(file, importer -> importer.read(file));
    }

    /**
     * Reads the model that a scenario runs.
     *
     * @param file a file, a folder, or the name of a model that Headroom ships
     * @throws UserInputException if the file is missing, of no known format, or cannot be read
     */
    public static Graph read(Path file, Scenario scenario) {
        return read(file, importer -> importer.read(file, scenario));
    }

    private static Graph read(Path file, Function<Importer, Graph> read) {
        boolean exists = Files.exists(file);
        if (exists && !Files.isReadable(file)) {
            throw new UserInputException(file + " cannot be read: permission denied");
        }
        if (exists && !Files.isDirectory(file)) {
            requireContent(file);
        }
        StringJoiner formats = new StringJoiner(", ");
        List<String> names = new ArrayList<>();
        for (Importer importer : ServiceLoader.load(Importer.class, Importers.class.getClassLoader())) {
            if (exists ? importer.accepts(file) : importer.ships(file.toString())) {
                return read(file, importer, read);
            }
            formats.add(importer.format());
            names.addAll(importer.names());
        }
        throw new UserInputException(
                exists
                        ? file
                                + ForeignFiles.what(file)
                                        .orElse(" is not a model file that Headroom reads; it reads " + formats)
                        : file + " does not exist" + remedy(file.toString(), names));
    }

    /** What importers do not check one by one shows in the arithmetic of sizes and in places that lists do not have. */
    private static Graph read(Path file, Importer importer, Function<Importer, Graph> read) {
        try {
            return read.apply(importer);
        } catch (ArithmeticException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new UserInputException(
                    file + ": its parts do not fit together; write it again, and if it is as PyTorch wrote it, please"
                            + " report this",
                    e);
        }
    }

    /** The name that was meant; what looks like the name of a model may be exported. */
    private static String remedy(String file, List<String> names) {
        String suggestion = Suggestion.of(file.substring(file.lastIndexOf('/') + 1), names);
        boolean endsInFormat = file.matches(".*\\.(pt2|json|onnx|gz|ya?ml)");
        return suggestion.isEmpty() && !endsInFormat
                ? " and is no model that 'headroom models' lists; 'headroom export-help' prints a program that exports"
                        + " any model"
                : suggestion;
    }

    private static void requireContent(Path file) {
        try {
            if (Files.size(file) == 0) {
                throw new UserInputException(file + " is empty");
            }
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
