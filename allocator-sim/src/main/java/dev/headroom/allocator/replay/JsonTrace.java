package dev.headroom.allocator.replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.headroom.allocator.AllocatorProfile;
import dev.headroom.allocator.AllocatorSettings;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A JSON file, plain or gzipped, that holds either an allocator program (an array {@code ops} of
 * {@code ["a", id, bytes, stream]}, with {@code "oom"} at the end where it failed, {@code ["f", id]}, {@code ["e"]}) or the recording of a run (an array {@code trace}
 * of {@code [action, id, size, stream, address, …]} and {@code ["phase", name, step, micro]}). Read as a stream.
 */
public final class JsonTrace implements Trace {
    private static final JsonFactory JSON = new JsonFactory();

    private final Path file;
    private String conf = "";
    private long limit = -1;
    private String version;
    private long total;
    private String events;
    private int every;
    private boolean blocks = true;

    private JsonTrace(Path file) {
        this.file = file;
    }

    /**
     * Reads all but the events.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException with one line when it is not such a file
     */
    public static JsonTrace open(Path file) throws IOException {
        JsonTrace trace = new JsonTrace(file);
        trace.read(trace::header);
        if (trace.events == null) {
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
                interpreter.mark(phase, json.nextIntValue(-1), json.nextIntValue(-1));
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
        interpreter.end();
    }

    private void header(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "config" -> config(json);
                case "versions" -> versions(json);
                case "torch" -> version = json.getValueAsString();
                case "total_bytes" -> total = json.getValueAsLong();
                case "ops", "trace" -> {
                    events = json.currentToken() == JsonToken.START_ARRAY ? field : events;
                    json.skipChildren();
                }
                default -> json.skipChildren();
            }
        }
    }

    private void config(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            boolean given = value != JsonToken.VALUE_NULL;
            switch (field) {
                case "conf", "alloc_conf" -> conf = given ? json.getText() : conf;
                case "limit_bytes" -> limit = given ? json.getValueAsLong() : limit;
                case "every" -> every = json.getValueAsInt();
                case "no_blocks" -> blocks = !json.getValueAsBoolean();
                default -> json.skipChildren();
            }
        }
    }

    private void versions(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean torch = json.currentName().equals("torch");
            json.nextToken();
            if (torch) {
                version = json.getValueAsString();
            }
            json.skipChildren();
        }
    }

    private interface Reader {
        void read(JsonParser json) throws IOException;
    }

    private void read(Reader reader) throws IOException {
        try (InputStream in = stream(file);
                JsonParser json = JSON.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw damaged("not a JSON object");
            }
            reader.read(json);
        } catch (JsonProcessingException e) {
            throw damaged("not JSON: " + e.getOriginalMessage());
        }
    }

    static InputStream stream(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            in.mark(2);
            boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
            in.reset();
            return zipped ? new GZIPInputStream(in, 1 << 16) : in;
        } catch (IOException e) {
            in.close();
            throw e;
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
