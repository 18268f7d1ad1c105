package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.headroom.app.words.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the JSON that commands print has in common. */
public final class JsonOutput {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .configure(StreamWriteFeature.AUTO_CLOSE_TARGET, false)
            .build();

    private JsonOutput() {}

    /** Writes one value. */
    @FunctionalInterface
    public interface Content {
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * Writes a value and a line feed; the writer stays open. Settings are told in the words of this process's door.
     *
     * @throws UncheckedIOException when it cannot be written to
     */
    public static void write(Writer out, Content content) {
        write(Door.here(), out, content);
    }

    /** The same with settings told in the words of a door. */
    public static void write(Door door, Writer out, Content content) {
        try (JsonGenerator json = new ToldJson(FACTORY.createGenerator(out), door)) {
            content.write(json);
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A field with a whole number, or null. */
    public static void number(JsonGenerator json, String key, @Nullable Number value) throws IOException {
        if (value == null) {
            json.writeNullField(key);
        } else {
            json.writeNumberField(key, value.longValue());
        }
    }

    /** A field with an array of strings. */
    public static void strings(JsonGenerator json, String key, List<String> values) throws IOException {
        json.writeArrayFieldStart(key);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }
}
