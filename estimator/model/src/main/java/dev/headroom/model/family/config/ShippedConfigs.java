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
     * @param note what is otherwise than there, or nothing
     * @param parameters how many transformers counts
     * @param same repositories of models with the same dimensions, such as those tuned to instructions
     */
    public record Entry(String name, String published, String note, long parameters, List<String> same) {
        /** Whether somebody means this model: by its name, a repository or the last part of one, in any case. */
        boolean isMeant(String text) {
            return name.equalsIgnoreCase(text)
                    || isRepository(published, text)
                    || same.stream().anyMatch(repository -> isRepository(repository, text));
        }

        private static boolean isRepository(String repository, String text) {
            String last = repository.substring(repository.indexOf('/') + 1);
            return repository.equalsIgnoreCase(text) || last.equalsIgnoreCase(text);
        }
    }

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
                    .filter(line -> !line.startsWith("#"))
                    .skip(1)
                    .filter(line -> !line.isBlank())
                    .forEach(line -> out.add(entry(line.split(",", -1))));
            return out;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Entry entry(String[] cells) {
        List<String> same = cells[4].isEmpty() ? List.of() : List.of(cells[4].split(";"));
        return new Entry(cells[0], cells[1], cells[2], Long.parseLong(cells[3]), same);
    }

    /** Whether one is meant, by its name or a repository of the Hugging Face hub. */
    public static boolean has(String text) {
        return isName(text) || find(text).isPresent();
    }

    private static boolean isName(String text) {
        return text.matches("[a-z0-9][a-z0-9._-]*") && ShippedConfigs.class.getResource(text + ".json") != null;
    }

    /** Names, for suggestions. */
    public static List<String> names() {
        return all().stream().map(Entry::name).toList();
    }

    /** The first of the list that a name or a repository of the Hugging Face hub means. */
    public static Optional<Entry> find(String text) {
        return all().stream().filter(entry -> entry.isMeant(text)).findFirst();
    }

    /**
     * The config that a name or a repository of the Hugging Face hub means.
     *
     * @throws UserInputException when it means none
     */
    public static ModelConfig read(String text) {
        String name = isName(text) ? text : find(text).map(Entry::name).orElse(text);
        try (InputStream in = ShippedConfigs.class.getResourceAsStream(name + ".json")) {
            if (in == null) {
                throw new UserInputException(text + " is no model that Headroom ships; see headroom models");
            }
            return new ModelConfig(name, JsonTree.object(in, name));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
