package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.NullPlans.Mode;
import dev.headroom.executor.cuda.OwnProcess;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.executor.cudnn.Heuristics;
import dev.headroom.executor.cudnn.PlanTarget;
import dev.headroom.model.cudnn.CudnnDevice;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.global.cudnn;
import org.junit.jupiter.api.Test;

/**
 * The real cuDNN, asked by {@link Heuristics} for a GPU that is not there, names the engines and workspaces that were
 * recorded through another program, in the same order. Needs no GPU; without a cuDNN of the recorded version it is
 * skipped.
 */
class RealCudnnTest {
    private static final long RECORDED = 92_400;
    private static final CudnnDevice H200 = new CudnnDevice(9, 0, 132);

    @Test
    void enginesAndWorkspacesAreThoseRecorded() throws IOException, InterruptedException {
        assertEquals("", OwnProcess.withCudnn(RealCudnnTest.class));
    }

    /** Compares in a process where the null libraries are not loaded. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        try {
            CudaLibraries.loadDnnHeuristics();
        } catch (CudaException e) {
            out.println(e.getMessage());
            System.exit(OwnProcess.LACKING);
        }
        if (cudnn.cudnnGetVersion() != RECORDED) {
            out.println("the answers are of cuDNN " + RECORDED + ", installed is " + cudnn.cudnnGetVersion());
            System.exit(OwnProcess.LACKING);
        }
        Heuristics heuristics = new Heuristics(PlanTarget.of(H200));
        int wrong = 0;
        for (RecordedConvolution c : RecordedConvolution.all().toList()) {
            for (String asked : c.asked()) {
                if (asked.startsWith("0 ")) {
                    List<String> want = recorded(c, asked.substring(2));
                    List<String> found = found(heuristics, c, asked, want.size());
                    if (!want.equals(found)) {
                        out.println(c.name() + ", " + asked + ": recorded " + want + ", found " + found);
                        wrong++;
                    }
                }
            }
        }
        System.exit(wrong > 0 ? 1 : 0);
    }

    /** Engines and workspaces of the plans that PyTorch may take, in mode INSTANT. */
    private static List<String> recorded(RecordedConvolution c, String question) {
        return c.plans().stream()
                .filter(p -> p.mode() == Mode.INSTANT && p.question().equals(question) && p.finishes())
                .filter(p -> RecordedConvolution.mayRun(p, c.deterministic()))
                .map(p -> p.engine() + " " + p.workspace())
                .toList();
    }

    private static List<String> found(Heuristics heuristics, RecordedConvolution c, String asked, int most) {
        List<String> out = new ArrayList<>();
        heuristics.offer(c.problem(asked), plan -> {
            out.add(plan.engine() + " " + plan.workspace());
            boolean enough = out.size() == most;
            if (enough) {
                plan.close();
            }
            return enough;
        });
        return out;
    }
}
