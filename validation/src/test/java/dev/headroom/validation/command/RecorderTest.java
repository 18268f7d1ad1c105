package dev.headroom.validation.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script needs PyTorch to run; that it is Python at all needs less. What it recorded is validated elsewhere. */
class RecorderTest {
    private static final int OK = 0;
    private static final int SECONDS = 30;

    @Test
    void theScriptIsPython(@TempDir Path folder) throws IOException, InterruptedException {
        Path script = folder.resolve("record.py");
        Recorder.write(script);
        Process python;
        try {
            python = new ProcessBuilder(
                            "python3", "-c", "import ast,sys; ast.parse(open(sys.argv[1]).read())", script.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "python3 is not installed");
            return;
        }
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        python.waitFor(SECONDS, TimeUnit.SECONDS);
        assertEquals(OK, python.exitValue(), said);
    }
}
