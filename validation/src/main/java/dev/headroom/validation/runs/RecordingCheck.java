package dev.headroom.validation.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.fixtures.Recording;
import dev.headroom.graph.GraphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Reads recordings that strangers made: whatever is missing or of the wrong kind is named. */
final class RecordingCheck {
    private static final Set<String> PHASES =
            Set.of("model", "inputs", "zero_grad", "forward", "loss", "backward", "optimizer");
    private static final List<String> BYTES = List.of("allocated", "reserved", "max_allocated", "max_reserved");
    /** The most that a simulated device holds. */
    private static final long MOST_BYTES = 4L << 40;

    private static final int MOST_PHASES = 1_000_000;

    private RecordingCheck() {}

    /**
     * Reads a file.
     *
     * @throws GraphException saying what is wrong with it
     */
    static Recording read(Path file) {
        Recording recording;
        try {
            recording = Recording.read(file);
        } catch (UncheckedIOException e) {
            throw new GraphException(reason(e.getCause()), e);
        }
        JsonNode root = recording.root();
        require(
                root.path("scenario").isObject() || root.path("config").isObject(),
                "it has no scenario; record it with the script of 'headroom validate --recorder FILE'");
        bytes(root, "total_bytes", MOST_BYTES);
        optional(root, "in_use_bytes");
        optional(root, "limit_bytes");
        JsonNode capability = root.path("capability");
        require(
                capability.size() == 2
                        && capability.path(0).isInt()
                        && capability.path(1).isInt(),
                "capability is not two numbers such as [8, 6]");
        require(root.path("device").isTextual(), "device is not the name of a GPU");
        JsonNode phases = root.path("phases");
        require(phases.isArray() && !phases.isEmpty(), "it has no phases");
        require(phases.size() <= MOST_PHASES, "it has more than " + MOST_PHASES + " phases");
        for (JsonNode phase : phases) {
            require(
                    PHASES.contains(phase.path("phase").asText()),
                    "phase '" + word(phase.path("phase")) + "' is unknown");
            BYTES.forEach(key -> bytes(phase, key, MOST_BYTES));
            optional(phase, "device_used");
        }
        return recording;
    }

    private static void bytes(JsonNode object, String key, long most) {
        JsonNode value = object.path(key);
        require(
                value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0 && value.asLong() <= most,
                (object.has("phase") ? "phase " + word(object.path("phase")) + ": " : "") + key
                        + " is not a number of bytes up to 4 TiB");
    }

    private static void optional(JsonNode object, String key) {
        if (object.hasNonNull(key)) {
            bytes(object, key, MOST_BYTES);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new GraphException(otherwise);
        }
    }

    /** Names come out of files: short, and no control characters to a terminal. */
    private static String word(JsonNode value) {
        String text = value.asText().replaceAll("\\p{Cntrl}", "?");
        return text.substring(0, Math.min(text.length(), 40));
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName();
        return switch (kind) {
            case "EOFException", "JsonEOFException" -> "it is cut off";
            case "ZipException" -> "it is not a complete gzip file";
            case "NoSuchFileException" -> "it does not exist";
            case "AccessDeniedException" -> "permission denied";
            case "StreamConstraintsException" -> "it is larger or deeper than any recording";
            default ->
                e instanceof com.fasterxml.jackson.core.JsonProcessingException json
                        ? "it is not JSON at line " + json.getLocation().getLineNr() + ", column "
                                + json.getLocation().getColumnNr()
                        : e.getMessage();
        };
    }
}
