package dev.headroom.model.family.config;

import dev.headroom.model.json.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration classes of transformers assume where a config says nothing. Published configs of models of
 * several parts leave out of each part what is its class's default; those of one part say it all.
 */
public final class ConfigDefaults {
    private static final String FILE = "parts/defaults.json";

    private ConfigDefaults() {}

    /**
     * A part's config with all entries.
     *
     * @param otherwise its model_type where it does not say
     */
    public static ModelConfig of(ModelConfig part, String otherwise) {
        String type = part.text("model_type", otherwise);
        ModelConfig defaults = all().section(type);
        Map<String, @Nullable Object> entries = new LinkedHashMap<>(defaults.entries());
        entries.putAll(part.entries());
        entries.put("model_type", type);
        return new ModelConfig(part.source(), entries);
    }

    private static ModelConfig all() {
        try (InputStream in = ConfigDefaults.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException("the configs' defaults are missing");
            }
            return new ModelConfig(FILE, JsonTree.object(in, FILE));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
