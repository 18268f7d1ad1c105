package dev.headroom.allocator.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.allocator.Fixtures;
import dev.headroom.allocator.trace.JsonTrace;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The states that are written for a program are, key by key, those that PyTorch's allocator had. */
class ProgramStatesTest {
    static Stream<Path> programs() {
        return Stream.concat(Fixtures.recordings("allocator").stream(), Fixtures.recordings("allocator/more").stream());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void writesTheRecordedStates(Path file) throws IOException {
        JsonTrace program = JsonTrace.open(file);
        StringWriter out = new StringWriter();
        ProgramStates.write(program, program.settings(), Replay.device(program, 0), out);
        JsonNode written = new ObjectMapper().readTree(out.toString()).get("states");
        JsonNode recorded = Fixtures.read(file).get("states");
        for (int i = 0; i < recorded.size(); i++) {
            assertEquals(recorded.get(i), written.path(i), "state " + i);
        }
        assertEquals(recorded.size(), written.size());
    }
}
