package dev.headroom.model.family.config;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.json.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds a config: a file, the folder of a downloaded model, or the name of one that Headroom ships. */
public final class ConfigFile {
    private static final String NAME = "config.json";

    private ConfigFile() {}

    /** Whether a path that exists means a config: any folder does. */
    public static boolean isMeant(Path path) {
        return file(path).isPresent();
    }

    private static Optional<Path> file(Path path) {
        if (Files.isDirectory(path)) {
            return Optional.of(path.resolve(NAME));
        }
        boolean json = String.valueOf(path.getFileName()).endsWith(".json");
        return json && Files.exists(path) ? Optional.of(path) : Optional.empty();
    }

    /**
     * Reads what a path means.
     *
     * @throws UserInputException when it is no config: one line with the file, the fault and a remedy
     */
    public static ModelConfig read(Path path) {
        Optional<Path> file = file(path);
        if (file.isEmpty()) {
            return ShippedConfigs.read(path.toString());
        }
        if (!Files.exists(file.get())) {
            throw new UserInputException(path + " is a directory without a " + NAME
                    + "; name a model file such as model.pt2 or the folder of a downloaded model");
        }
        try (InputStream in = Files.newInputStream(file.get())) {
            return new ModelConfig(
                    file.get().toString(), JsonTree.object(in, file.get().toString()));
        } catch (IOException e) {
            throw new UserInputException(file.get() + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** What a model from a path is called: its folder, or its file without the ending. */
    public static String modelName(Path path) {
        String name = String.valueOf(path.toAbsolutePath().normalize().getFileName());
        if (name.equals(NAME)) {
            Path folder = path.toAbsolutePath().normalize().getParent();
            return folder == null || folder.getFileName() == null ? name : String.valueOf(folder.getFileName());
        }
        return name.endsWith(".json") ? name.substring(0, name.length() - ".json".length()) : name;
    }
}
