package dev.headroom.validation.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads recordings that strangers made: whatever is missing or of the wrong kind is named. */
final class RecordingCheck {
    private static final List<String> BYTES = List.of("allocated", "reserved", "max_allocated", "max_reserved");
    private static final List<String> YES_OR_NO = List.of("new_batches", "zero_grad_before_backward", "null_libraries");

    /** 1 is that of the project's own recordings, with {@code config}. */
    private static final Set<Integer> FORMATS = Set.of(1, 2);

    /** The room for a name in cudaDeviceProp, less the zero at its end. */
    private static final int LONGEST_NAME = 255;

    /** Above any compute capability: a typing error, not a GPU. */
    private static final int MOST_CAPABILITY = 99;

    /** The most that a simulated device holds. */
    private static final long MOST_BYTES = 4L << 40;

    private static final int MOST_PHASES = 1_000_000;

    private RecordingCheck() {}

    /**
     * Reads a file.
     *
     * @throws UserInputException saying what is wrong with it
     */
    static Recording read(Path file) {
        Recording recording;
        try {
            recording = Recording.read(file);
        } catch (UncheckedIOException e) {
            throw new UserInputException(reason(Objects.requireNonNull(e.getCause())), e);
        }
        JsonNode root = recording.root();
        require(
                root.path("scenario").isObject() || root.path("config").isObject(),
                "it has no scenario; record it with the script of 'headroom validate --recorder FILE'");
        JsonNode format = root.path("format");
        require(
                format.isMissingNode() || FORMATS.contains(format.asInt()),
                "format " + word(format) + " is unknown; this Headroom reads format 2");
        require(
                !root.has("archive")
                        || root.path("archive").isTextual()
                                && !root.path("archive").asText().isBlank(),
                "archive is not the name of a file");
        bytes(root, "total_bytes", MOST_BYTES);
        optional(root, "in_use_bytes");
        optional(root, "limit_bytes");
        JsonNode capability = root.path("capability");
        require(
                capability.size() == 2
                        && isCount(capability.path(0), MOST_CAPABILITY)
                        && isCount(capability.path(1), MOST_CAPABILITY),
                "capability is not two numbers such as [8, 6]");
        require(
                root.path("device").isTextual() && root.path("device").asText().length() <= LONGEST_NAME,
                "device is not the name of a GPU");
        require(
                !root.hasNonNull("sms") || isCount(root.path("sms"), Integer.MAX_VALUE),
                "sms is not a number of multiprocessors");
        require(
                !root.hasNonNull("oom") || root.path("oom").isObject(),
                "oom is neither null nor an object such as {\"during\": \"backward of step 1\"}");
        for (String key : YES_OR_NO) {
            require(!root.hasNonNull(key) || root.path(key).isBoolean(), key + " is neither true nor false");
        }
        JsonNode phases = root.path("phases");
        require(phases.isArray() && !phases.isEmpty(), "it has no phases");
        require(phases.size() <= MOST_PHASES, "it has more than " + MOST_PHASES + " phases");
        for (JsonNode phase : phases) {
            require(
                    Phase.of(phase.path("phase").asText()).isPresent(),
                    "phase '" + word(phase.path("phase")) + "' is unknown");
            for (String key : List.of("step", "micro")) {
                require(
                        !phase.hasNonNull(key) || isCount(phase.path(key), Integer.MAX_VALUE),
                        "phase " + word(phase.path("phase")) + ": " + key + " is not a number from 0");
            }
            BYTES.forEach(key -> bytes(phase, key, MOST_BYTES));
            optional(phase, "device_used");
        }
        return recording;
    }

    private static boolean isCount(JsonNode value, int most) {
        return value.isInt() && value.asInt() >= 0 && value.asInt() <= most;
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
            throw new UserInputException(otherwise);
        }
    }

    /** Names come out of files: short, and no control characters to a terminal. */
    private static String word(JsonNode value) {
        String text = value.asText().replaceAll("\\p{Cntrl}", "?");
        return text.substring(0, Math.min(text.length(), 40));
    }

    private static @Nullable String reason(IOException e) {
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
