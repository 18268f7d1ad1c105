package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The zip around an exported program. Finds the records, whatever the root folder is called, and never reads weights.
 *
 * <p>Source: torch/export/pt2_archive/constants.py and _package.py of PyTorch 2.14.1; {@code
 * serialized_exported_program.json} is the layout up to PyTorch 2.6.
 */
final class Pt2Archive implements AutoCloseable {
    private static final String FORMAT = "archive_format";
    private static final String MODELS = "models/";
    private static final String LEGACY = "serialized_exported_program.json";
    private static final String DEFAULT_MODEL = "model";

    private final Path file;
    private final ZipFile zip;
    private final Map<String, ZipEntry> records;
    private final String model;

    private Pt2Archive(Path file, ZipFile zip) {
        this.file = file;
        this.zip = zip;
        Map<String, ZipEntry> entries = entries();
        String root = root(entries.keySet());
        records = new LinkedHashMap<>();
        entries.forEach((name, entry) -> {
            if (name.startsWith(root)) {
                records.put(name.substring(root.length()), entry);
            }
        });
        model = records.containsKey(LEGACY) ? "" : model();
    }

    /**
     * Opens the archive.
     *
     * @throws UserInputException if it is no zip or holds no exported program
     */
    static Pt2Archive open(Path file) {
        ZipFile zip;
        try {
            zip = new ZipFile(file.toFile(), StandardCharsets.UTF_8);
        } catch (IOException | IllegalArgumentException e) {
            throw new UserInputException(
                    file + " is not a complete zip archive (" + e.getMessage()
                            + "); a .pt2 file is what torch.export.save writes",
                    e);
        }
        try {
            return new Pt2Archive(file, zip);
        } catch (UserInputException e) {
            closeAfter(e, zip);
            throw e;
        } catch (IllegalArgumentException e) {
            closeAfter(e, zip);
            throw new UserInputException(file + " has an entry whose name cannot be read: " + e.getMessage(), e);
        }
    }

    private static void closeAfter(RuntimeException failure, ZipFile zip) {
        try {
            zip.close();
        } catch (IOException closing) {
            failure.addSuppressed(closing);
        }
    }

    /** Whether a zip holds an exported program, by the names in it. */
    static boolean looksLikeProgram(ZipFile zip) {
        return zip.stream()
                .map(ZipEntry::getName)
                .anyMatch(name -> name.equals(LEGACY)
                        || name.endsWith("/" + LEGACY)
                        || name.matches("([^/]*/)?(" + FORMAT + "|" + MODELS + "[^/]*\\.json)"));
    }

    private Map<String, ZipEntry> entries() {
        Map<String, ZipEntry> entries = new LinkedHashMap<>();
        for (ZipEntry entry : Collections.list(zip.entries())) {
            String name = entry.getName();
            if (name.startsWith("/") || List.of(name.split("/")).contains("..") || name.contains("\\")) {
                throw new UserInputException(file + " holds an entry that points out of the archive: " + shown(name));
            }
            if (entries.put(name, entry) != null) {
                throw new UserInputException(file + " holds two entries named " + shown(name));
            }
        }
        return entries;
    }

    private String root(Iterable<String> names) {
        String byModel = null;
        for (String name : names) {
            if (name.equals(FORMAT) || name.equals(LEGACY)) {
                return "";
            }
            int slash = name.indexOf('/');
            String rest = name.substring(slash + 1);
            if (slash > 0 && (rest.equals(FORMAT) || rest.equals(LEGACY))) {
                return name.substring(0, slash + 1);
            }
            if (byModel == null && rest.startsWith(MODELS) && rest.endsWith(".json")) {
                byModel = name.substring(0, slash + 1);
            }
        }
        if (byModel == null) {
            throw new UserInputException(
                    file + " is a zip archive but no exported program: it has no models/*.json; write it"
                            + " with torch.export.save");
        }
        return byModel;
    }

    private String model() {
        List<String> models = new ArrayList<>();
        for (String name : records.keySet()) {
            if (name.startsWith(MODELS) && name.endsWith(".json") && name.indexOf('/', MODELS.length()) < 0) {
                models.add(name.substring(MODELS.length(), name.length() - ".json".length()));
            }
        }
        if (models.contains(DEFAULT_MODEL)) {
            return DEFAULT_MODEL;
        }
        if (models.size() == 1) {
            return models.get(0);
        }
        if (models.isEmpty()) {
            throw new UserInputException(
                    file + " holds no exported program (models/*.json); packages that hold compiled code"
                            + " only cannot be read");
        }
        throw new UserInputException(file + " holds several models " + models
                + " and none is called \"model\"; save one" + " program per file with torch.export.save");
    }

    private static String shown(String name) {
        return name.length() > 80 ? name.substring(0, 80) + "..." : name;
    }

    /** Reads the exported program. */
    void program(Json.DocumentHandler handler) {
        read(model.isEmpty() ? LEGACY : MODELS + model + ".json", handler);
    }

    /** Reads the description of the weights, if there is one. */
    void weights(Json.DocumentHandler handler) {
        readFirst(
                handler,
                "data/weights/" + model + "_weights_config.json",
                "data/weights/" + model + "_model_param_config.json");
    }

    /** Reads the description of the constants and of the buffers that are not persistent, if there is one. */
    void constants(Json.DocumentHandler handler) {
        readFirst(
                handler,
                "data/constants/" + model + "_constants_config.json",
                "data/constants/" + model + "_model_constants_config.json");
    }

    /** Size of a record of weights in bytes; 0 if it is absent or the model had no data. */
    long weightBytes(String name) {
        ZipEntry entry = records.get("data/weights/" + name);
        return entry == null ? 0 : Math.max(0, entry.getSize());
    }

    private void readFirst(Json.DocumentHandler handler, String... names) {
        for (String name : names) {
            if (records.containsKey(name)) {
                read(name, handler);
                return;
            }
        }
    }

    private void read(String name, Json.DocumentHandler handler) {
        String where = file + ", " + name;
        ZipEntry entry = Objects.requireNonNull(records.get(name), name);
        try (InputStream stream = zip.getInputStream(entry)) {
            Json.read(new CappedInput(stream, entry.getCompressedSize()), where, handler);
        } catch (IOException | IllegalArgumentException e) {
            throw new UserInputException(where + " cannot be read (cut off or damaged?): " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
