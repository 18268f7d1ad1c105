package dev.headroom.validation.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealRunsTest {
    private static final Path REAL = Fixtures.folder().resolve("real");

    @TempDir
    Path folder;

    private static RealSet some(String only, int step) {
        RealSet all = RealSets.of(REAL, List.of(REAL.resolve("archives")), only).get(0);
        List<RealRun> runs = IntStream.range(0, all.runs().size())
                .filter(i -> i % step == 0)
                .mapToObj(all.runs()::get)
                .toList();
        return new RealSet(all.name(), all.gpu(), all.usable(), runs, all.left());
    }

    @Test
    void perceptronsLieOnOneConstant() {
        RealScore score = RealScore.of(some("perceptrons", 40));
        assertEquals(1429L << 20, score.constant());
        assertTrue(score.withinMib(4) >= 0.95, () -> score.withinMib(4) + " within 4 MiB");
    }

    @Test
    void imageModelsLieWithinFewPercent() {
        RealScore score = RealScore.of(some("timm", 37));
        double[] errors = score.errors(r -> true, score.constant());
        assertTrue(RealScore.sizes(errors).median() < 0.02, () -> RealScore.line(errors));
        assertTrue(
                RealScore.sizes(errors).median()
                        < RealScore.sizes(score.errors("FakeTensor", true)).median(),
                "FakeTensor is nearer");
    }

    /** Every wrong verdict is at most a rung off. */
    @Test
    void laddersEndWhereTheyDid() {
        RealScore score = RealScore.of(some("ladder", 13));
        assertEquals(1687L << 20, score.constant());
        long[] right = score.rightGroups();
        assertTrue(right[0] >= 0.9 * right[1], () -> right[0] + " of " + right[1]);
        assertTrue(score.farOff() <= 1, () -> score.farOff() + " more than a rung off");
    }

    @Test
    void pageAndTablesAreWritten() throws IOException {
        RealReport report = RealReport.of(List.of(some("perceptrons", 500)));
        StringWriter text = new StringWriter();
        report.write(new PrintWriter(text));
        assertTrue(text.toString().contains("Constant of set and card: 1429 MiB"), text::toString);
        AccuracyPage.write(report, folder.resolve("accuracy.md"));
        assertTrue(Files.readString(folder.resolve("accuracy.md")).contains("accuracy-perceptrons.svg"));
        assertTrue(Files.readString(folder.resolve("accuracy-perceptrons.svg")).startsWith("<svg"));
    }

    @Test
    void foreignTablesAreRefused() throws IOException {
        Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
        assertThrows(UserInputException.class, () -> RealSets.of(folder, List.of(), ""));
        Files.writeString(folder.resolve("short.csv"), "model,batch,nvidia_smi_mib,state,fake_tensor_mib\nx,1\n");
        UserInputException e = assertThrows(UserInputException.class, () -> RealSets.of(folder, List.of(), ""));
        assertTrue(String.valueOf(e.getMessage()).contains("line 2"), e::getMessage);
    }
}
