package dev.headroom.model.family.config;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.json.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Configs of well-known models that ship as data, by name; the list says where each was published. */
public final class ShippedConfigs {
    private static final String LIST = "models.csv";

    /**
     * A line of the list.
     *
     * @param name such as {@code llama-3.1-8b}
     * @param published the repository on the Hugging Face hub
     * @param parameters how many its makers count
     */
    public record Entry(String name, String published, long parameters) {}

    private ShippedConfigs() {}

    /** All, in the list's order. */
    public static List<Entry> all() {
        try (InputStream in = ShippedConfigs.class.getResourceAsStream(LIST)) {
            if (in == null) {
                throw new IllegalStateException("the list of shipped configs is missing");
            }
            List<Entry> out = new ArrayList<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .skip(1)
                    .filter(line -> !line.isBlank())
                    .forEach(line -> out.add(entry(line.split(",", -1))));
            return out;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Entry entry(String[] cells) {
        return new Entry(cells[0], cells[1], Long.parseLong(cells[2]));
    }

    /** Whether one has a name. */
    public static boolean has(String name) {
        return name.matches("[a-z0-9][a-z0-9._-]*") && ShippedConfigs.class.getResource(name + ".json") != null;
    }

    /** Names, for suggestions. */
    public static List<String> names() {
        return all().stream().map(Entry::name).toList();
    }

    /** The one of a name, as its makers published it. */
    public static Optional<Entry> find(String name) {
        return all().stream().filter(e -> e.name().equals(name)).findFirst();
    }

    /**
     * The config of a name.
     *
     * @throws UserInputException when none has it
     */
    public static ModelConfig read(String name) {
        try (InputStream in = ShippedConfigs.class.getResourceAsStream(name + ".json")) {
            if (in == null) {
                throw new UserInputException(name + " is no model that Headroom ships; see headroom models");
            }
            return new ModelConfig(name, JsonTree.object(in, name));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
