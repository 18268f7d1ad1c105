package dev.headroom.executor.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs a program on the tests' class path in a process of its own, since a process loads one library of a name. */
public final class OwnProcess {
    /** Exit status of a program that lacks what it needs: the calling test is skipped with its output. */
    public static final int LACKING = 3;

    /** The property that names the folders of CUDA's libraries. */
    public static final String FOLDERS = "headroom.cuda.libraries";

    /** The variable that names a folder of cuDNN for tests alone: with it in the usual places, predictions would ask it. */
    private static final String CUDNN = "HEADROOM_TEST_CUDNN";

    /** What cuDNN prints before it ends a process that has no cuBLAS for it. */
    private static final String NO_CUBLAS = "Cannot load symbol cublasLt";

    private OwnProcess() {}

    /** Runs a program that asks the real cuDNN. */
    public static String withCudnn(Class<?> program, String... arguments) throws IOException, InterruptedException {
        String folder = System.getenv(CUDNN);
        return run(program, folder == null ? List.of() : List.of("-D" + FOLDERS + "=" + folder), arguments);
    }

    /**
     * Runs a program.
     *
     * @param options of Java
     * @return what it printed when it failed, else an empty text
     */
    public static String run(Class<?> program, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return program.getSimpleName() + " does not end";
        }
        Assumptions.assumeTrue(process.exitValue() != LACKING && !output.contains(NO_CUBLAS), output);
        return process.exitValue() == 0 ? "" : "exit status " + process.exitValue() + ": " + output;
    }
}
