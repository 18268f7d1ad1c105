package dev.headroom.allocator.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.headroom.allocator.AllocatorProfile;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.snapshot.MaybeGzip;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A JSON file, plain or gzipped, with one of two arrays of events. It is read as a stream.
 *
 * <ul>
 *   <li>{@code ops}: an allocator program. {@code ["a", id, bytes, stream]} allocates, {@code ["f", id]} frees,
 *       {@code ["e"]} empties the cache. An allocation that failed has {@code "oom"} at its end.
 *   <li>{@code trace}: the recording of a run. An event is {@code [action, id, size, stream, address, …]} with
 *       PyTorch's name of the action, or {@code ["phase", name, step, micro]}.
 * </ul>
 */
public final class JsonTrace implements Trace {
    private static final JsonFactory JSON = new JsonFactory();

    private final Path file;
    private String conf = "";
    private long limit = -1;
    private @Nullable String version;
    private long total;
    /** The field that holds the events; empty until it is found. */
    private String events = "";

    /** Operations between two recorded states; 0 when it is not said. */
    private int every;
    /** Whether recorded states hold the segments and their blocks. */
    private boolean blocks = true;

    private JsonTrace(Path file) {
        this.file = file;
    }

    /**
     * Reads everything but the events.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException with one line when it is not such a file
     */
    public static JsonTrace open(Path file) throws IOException {
        JsonTrace trace = new JsonTrace(file);
        trace.read(trace::header);
        if (trace.events.isEmpty()) {
            throw trace.damaged("no array 'ops' or 'trace'; record one with --trace");
        }
        return trace;
    }

    @Override
    public AllocatorSettings settings() {
        AllocatorSettings settings = AllocatorSettings.parse(conf);
        if (version != null) {
            settings = settings.withProfile(AllocatorProfile.of(version));
        }
        return limit < 0 ? settings : settings.withLimitBytes(limit);
    }

    @Override
    public long totalBytes() {
        return total;
    }

    @Override
    public String name() {
        return file.getFileName().toString();
    }

    /** True for an allocator program. */
    public boolean isProgram() {
        return events.equals("ops");
    }

    /** Operations between two recorded states of a program; 0 when it does not say. */
    public int every() {
        return every;
    }

    /** Whether the recorded states of a program hold the segments. */
    public boolean recordsBlocks() {
        return blocks;
    }

    @Override
    public void play(TraceSink sink) throws IOException {
        read(json -> {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                if (field.equals(events)) {
                    if (isProgram()) {
                        operations(json, sink);
                    } else {
                        events(json, sink);
                    }
                } else {
                    json.skipChildren();
                }
            }
        });
    }

    private void operations(JsonParser json, TraceSink sink) throws IOException {
        while (json.nextToken() == JsonToken.START_ARRAY) {
            String kind = json.nextTextValue();
            if (kind == null) {
                throw damaged("an operation without a name at " + where(json));
            }
            switch (kind) {
                case "a" -> {
                    long id = json.nextLongValue(-1);
                    long bytes = json.nextLongValue(-1);
                    int stream = json.nextIntValue(-1);
                    check(id >= 0 && bytes > 0 && stream >= 0, json);
                    if (json.nextToken() == JsonToken.END_ARRAY) {
                        sink.allocate(id, bytes, stream);
                        continue;
                    }
                    check(
                            json.currentToken() == JsonToken.VALUE_STRING
                                    && json.getText().equals("oom"),
                            json);
                    sink.allocateFailed(bytes, stream);
                }
                case "f" -> {
                    long id = json.nextLongValue(-1);
                    check(id >= 0, json);
                    sink.free(id);
                }
                case "e" -> sink.emptyCache();
                default -> throw damaged("unknown operation '" + kind + "' at " + where(json));
            }
            check(json.nextToken() == JsonToken.END_ARRAY, json);
        }
        check(json.currentToken() == JsonToken.END_ARRAY, json);
    }

    private void events(JsonParser json, TraceSink sink) throws IOException {
        TraceInterpreter interpreter = new TraceInterpreter(sink);
        while (json.nextToken() == JsonToken.START_ARRAY) {
            String action = json.nextTextValue();
            if (action == null) {
                throw damaged("an event without an action at " + where(json));
            }
            if (action.equals("phase")) {
                String phase = json.nextTextValue();
                check(phase != null, json);
                int step = json.nextIntValue(-1);
                int micro = json.currentToken() == JsonToken.END_ARRAY ? -1 : json.nextIntValue(-1);
                interpreter.mark(phase, step, micro);
            } else {
                long id = json.nextLongValue(Long.MIN_VALUE);
                long bytes = json.nextLongValue(-1);
                int stream = json.nextIntValue(0);
                check(id != Long.MIN_VALUE && bytes >= 0 && stream >= 0, json);
                try {
                    interpreter.event(action, id, bytes, stream);
                } catch (IllegalArgumentException e) {
                    throw damaged(e.getMessage() + " at " + where(json));
                }
            }
            JsonToken token = json.currentToken();
            while (token != JsonToken.END_ARRAY) {
                check(token != null, json);
                json.skipChildren();
                token = json.nextToken();
            }
        }
        check(json.currentToken() == JsonToken.END_ARRAY, json);
        interpreter.end();
    }

    private void header(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "config" -> config(json);
                case "versions" -> versions(json);
                case "torch" -> version(json);
                case "total_bytes" -> total = number(json, 0);
                case "ops", "trace" -> {
                    if (json.currentToken() == JsonToken.START_ARRAY) {
                        if (!events.isEmpty()) {
                            throw damaged("'" + field + "' after '" + events + "': one array of events is read");
                        }
                        events = field;
                    }
                    json.skipChildren();
                }
                default -> json.skipChildren();
            }
        }
    }

    private void config(JsonParser json) throws IOException {
        fields(json);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "conf", "alloc_conf" -> conf = text(json, conf);
                case "limit_bytes" -> limit = number(json, limit);
                case "every" -> every = (int) Math.min(number(json, 0), Integer.MAX_VALUE);
                case "no_blocks" -> blocks = json.currentToken() != JsonToken.VALUE_TRUE;
                default -> json.skipChildren();
            }
        }
    }

    private void versions(JsonParser json) throws IOException {
        fields(json);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean torch = json.currentName().equals("torch");
            json.nextToken();
            if (torch) {
                version(json);
            }
            json.skipChildren();
        }
    }

    private void fields(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw damaged("'" + json.currentName() + "' is no object");
        }
    }

    private void version(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_NULL) {
            version = text(json, "");
        }
    }

    /** The string here, or the other one when there is null. */
    private String text(JsonParser json, String otherwise) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_NULL -> otherwise;
            case VALUE_STRING -> json.getText();
            default -> throw damaged("'" + json.currentName() + "' is no text");
        };
    }

    /** The whole number here, or the other one when there is null. */
    private long number(JsonParser json, long otherwise) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_NULL -> otherwise;
            case VALUE_NUMBER_INT -> json.getLongValue();
            default -> throw damaged("'" + json.currentName() + "' is no whole number");
        };
    }

    private interface Reader {
        void read(JsonParser json) throws IOException;
    }

    private void read(Reader reader) throws IOException {
        try (InputStream in = MaybeGzip.open(file);
                JsonParser json = JSON.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw damaged("not a JSON object");
            }
            reader.read(json);
            // Read to the end, so that a file that is cut off or continues is noticed.
            if (json.nextToken() != null) {
                throw damaged("goes on after its end");
            }
        } catch (JsonProcessingException e) {
            throw damaged("not JSON: " + e.getOriginalMessage());
        }
    }

    private void check(boolean holds, JsonParser json) {
        if (!holds) {
            throw damaged("an event is not of the documented form at " + where(json));
        }
    }

    private static String where(JsonParser json) {
        return "byte " + json.currentLocation().getByteOffset();
    }

    private IllegalArgumentException damaged(String what) {
        return new IllegalArgumentException(file + ": " + what);
    }
}
