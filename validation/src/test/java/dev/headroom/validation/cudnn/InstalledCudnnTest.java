package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.OwnProcess;
import dev.headroom.executor.cudnn.AskedWorkspaces;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An installed cuDNN, asked for GPUs that are not there, answers what was recorded: every workspace of the recorded
 * runs, of the published ones, and of one in ten problems that rules were never learned from. Without a cuDNN of the
 * recorded version it is skipped.
 */
class InstalledCudnnTest {
    private static final String RECORDED = "cuDNN 9.24.0";
    private static final int HELD_OUT = 10;

    @Test
    void answersAreThoseRecorded() throws IOException, InterruptedException {
        assertEquals("", OwnProcess.withCudnn(InstalledCudnnTest.class));
    }

    /** Compares in a process where the null libraries are not loaded. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        AskedWorkspaces cudnn = new AskedWorkspaces();
        if (!cudnn.description().equals(RECORDED)) {
            out.println("the answers are of " + RECORDED + ", here is " + cudnn.description()
                    + "; pip install nvidia-cudnn-cu13==9.24.0.43 nvidia-cublas --no-deps");
            System.exit(OwnProcess.LACKING);
        }
        long wrong = compare(cudnn, Fixtures.recordings().resolve("cudnn/answers.txt.gz"), 1)
                + compare(cudnn, Fixtures.folder().resolve("published/answers.txt.gz"), 1)
                + compare(cudnn, Fixtures.folder().resolve("cudnn/held-out.txt.gz"), HELD_OUT);
        System.exit(wrong > 0 ? 1 : 0);
    }

    /** How many of every n-th line's answers differ. */
    private static long compare(AskedWorkspaces cudnn, Path file, int n) {
        List<String> lines = Fixtures.lines(file);
        long wrong = 0;
        for (int i = 0; i < lines.size(); i += n) {
            AnswerLine line = AnswerLine.parse(lines.get(i));
            long found = cudnn.answer(line.problem(), line.gpu())
                    .map(WorkspaceAnswer::first)
                    .orElse(-1L);
            if (found != line.workspace()) {
                System.out.println(line + ", found " + found);
                wrong++;
            }
        }
        return wrong;
    }
}
