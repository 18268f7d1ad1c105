package dev.headroom.validation.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Recordings with one value that cannot be: each is a fault of its file, with a reason, and no defect. */
class RecordingCheckTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private static ObjectNode recording() throws IOException {
        JsonNode root = Recording.read(Fixtures.recordings().resolve("cnn-small-b100-adam.json.gz"))
                .root();
        return JSON.createObjectNode().setAll((ObjectNode) root.deepCopy());
    }

    private Skipped skipped(String text) throws IOException {
        Files.writeString(folder.resolve("run.json"), text);
        Validation validation = Validation.of(Sources.folder(folder), done -> {});
        assertEquals(0, validation.outcomes().size());
        return validation.skipped().get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/format | 3 | format 3 is unknown",
                "/archive | {} | archive is not the name of a file",
                "/archive | '\"\"' | archive is not the name of a file",
                "/archive | '\"a\\u0000b\"' | no file can have this name",
                "/capability | [9, -1] | capability is not two numbers",
                "/device | 7 | device is not the name of a GPU",
                "/sms | '\"many\"' | sms is not a number of multiprocessors",
                "/oom | true | oom is neither null nor an object",
                "/new_batches | 1 | new_batches is neither true nor false",
                "/phases/3/step | '\"x\"' | step is not a number from 0",
                "/config/optimizer | '\"zork\"' | optimizer 'zork' is not known",
                "/config/checkpoint | '\"x\"' | checkpoint 'x' is not known",
                "/config/foreach | '\"now\"' | foreach 'now' is not known",
                "/config/sdp | '\"now\"' | sdp 'now' is not known",
            })
    void aValueThatCannotBeIsNamed(String pointer, String value, String reason) throws IOException {
        ObjectNode root = recording();
        Files.copy(Fixtures.models().resolve("cnn-small.pt2"), folder.resolve("cnn-small.pt2"));
        int slash = pointer.lastIndexOf('/');
        ((ObjectNode) root.at(pointer.substring(0, slash))).set(pointer.substring(slash + 1), JSON.readTree(value));
        Skipped skipped = skipped(JSON.writeValueAsString(root));
        assertEquals(Skipped.Cause.UNREADABLE, skipped.cause(), skipped.reason());
        assertTrue(skipped.reason().contains(reason), skipped.reason());
    }

    @Test
    void nothingFollowsTheObject() throws IOException {
        Skipped skipped = skipped(JSON.writeValueAsString(recording()) + " {}");
        assertEquals("something follows the JSON object", skipped.reason());
    }

    @Test
    void aTraceOfOtherThingsIsNoDefect() throws IOException {
        ObjectNode root = recording();
        Files.copy(Fixtures.models().resolve("cnn-small.pt2"), folder.resolve("cnn-small.pt2"));
        ((ObjectNode) root.at("/phases/4")).put("max_allocated", 1);
        root.set("trace", JSON.readTree("[7, {}, [\"free_requested\", 1], [\"phase\"]]"));
        assertTrue(skipped(JSON.writeValueAsString(root)).reason().startsWith("trace: "));
    }
}
