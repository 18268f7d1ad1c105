package dev.headroom.executor.program;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Pass;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;

/** Prepares runs for measurement: the shared passes, and those of the executor's own way to run a graph. */
public final class Preparation {
    private static final List<Pass> OWN = List.of(
            new Pass("put the bodies of higher-order operators in their place", (g, run, symbols) -> Inlined.of(g)),
            new Pass(
                    "convert where the run's precision needs it",
                    (g, run, symbols) -> Conversions.inPrecision(g, run)));

    private Preparation() {}

    /**
     * A run that {@link Program} can run.
     *
     * @throws UserInputException as {@link PreparedRun#of}, and for loops that the executor does not have
     */
    public static PreparedRun of(Graph imported, Scenario scenario) {
        requireKnownLoop(scenario);
        return PreparedRun.of(imported, scenario, OWN);
    }

    private static void requireKnownLoop(Scenario run) {
        if (!run.torch().equals(TorchVersion.NEWEST)) {
            throw new UserInputException("a run that is executed behaves as PyTorch " + TorchVersion.NEWEST
                    + "; only predictions know other versions");
        }
        if (run.parallel().kind() != ParallelKind.SINGLE) {
            throw new UserInputException("a run is executed on one GPU; leave out --parallel "
                    + run.parallel().kind().option() + ", or predict it");
        }
        if (run.loop().clipGradNorm() != null) {
            throw new UserInputException(
                    "the executor does not clip gradients; leave out --clip-grad-norm, or predict");
        }
        if (run.loop().newBatches()
                || run.loop().zeroGradBeforeBackward()
                || run.precision().convertsOnDevice()) {
            throw new UserInputException(
                    "the executor converts models before it moves them, trains on one batch and drops"
                            + " gradients before each step; only predictions know other loops");
        }
    }
}
