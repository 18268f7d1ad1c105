package dev.headroom.app.serve;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.Families;
import dev.headroom.model.family.config.ConfigFile;
import dev.headroom.model.family.config.ShippedConfigs;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.TreeSet;

/** The models that there are, and those that are sent. */
final class Uploads {
    private final Store store;

    Uploads(Store store) {
        this.store = store;
    }

    /** {@code {"models": [{"name", "kind", …}]}}: {@code kind} is {@code config} or {@code archive}. */
    byte[] list() {
        return Answers.bytes(out -> JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("models");
            for (String name : store.offeredNames()) {
                json.writeStartObject();
                json.writeStringField("name", name);
                json.writeStringField("kind", name.endsWith(".pt2") ? "archive" : "config");
                json.writeEndObject();
            }
            for (ShippedConfigs.Entry entry : ShippedConfigs.all()) {
                if (Families.find(ShippedConfigs.read(entry.name()).modelType()).isPresent()) {
                    json.writeStartObject();
                    json.writeStringField("name", entry.name());
                    json.writeStringField("kind", "config");
                    json.writeStringField("published", entry.published());
                    json.writeNumberField("parameters", entry.parameters());
                    json.writeEndObject();
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        }));
    }

    /**
     * Keeps an archive or a {@code config.json}, once it was read.
     *
     * @return {@code {"name", "kind", "sizes"}}: {@code sizes} are the open ones beside the batch
     */
    byte[] take(byte[] file) {
        boolean config = file.length > 0 && file[0] != 'P';
        String name = store.put(file, config);
        try {
            if (config) {
                checkConfig(name);
                return described(name, "config", Set.of());
            }
            Graph graph = Importers.read(store.path(name));
            return described(name, "archive", new TreeSet<>(graph.symbols().keySet()));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            forget(name);
            if (e instanceof UserInputException) {
                String line = String.valueOf(e.getMessage());
                throw new UserInputException(line.replaceAll(
                        "(?<!\\S)\\S*" + name + "\\S*?(model\\.pt2|config\\.json)?(?=[\\s:]|$)", "the file"));
            }
            throw e;
        }
    }

    private void checkConfig(String name) {
        String type = ConfigFile.read(store.path(name)).modelType();
        if (Families.find(type).isEmpty()) {
            throw new UserInputException(
                    "the file is no config.json of a family that Headroom has; its model_type is '" + type + "'");
        }
    }

    private void forget(String name) {
        try {
            store.forget(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] described(String name, String kind, Set<String> sizes) {
        return Answers.bytes(out -> JsonOutput.write(out, (JsonGenerator json) -> {
            json.writeStartObject();
            json.writeStringField("name", name);
            json.writeStringField("kind", kind);
            json.writeArrayFieldStart("sizes");
            for (String size : sizes) {
                json.writeString(size);
            }
            json.writeEndArray();
            json.writeEndObject();
        }));
    }
}
