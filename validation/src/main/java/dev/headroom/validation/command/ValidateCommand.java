package dev.headroom.validation.command;

import dev.headroom.app.command.ExitStatus;
import dev.headroom.app.command.Progress;
import dev.headroom.app.command.Subcommand;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.real.AccuracyPage;
import dev.headroom.validation.real.RealReport;
import dev.headroom.validation.real.RealSets;
import dev.headroom.validation.report.HtmlReport;
import dev.headroom.validation.report.TextReport;
import dev.headroom.validation.report.ValidationJson;
import dev.headroom.validation.runs.MeasuredRuns;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Skipped;
import dev.headroom.validation.runs.Sources;
import dev.headroom.validation.runs.Validation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom validate}: predictions beside everything that was measured. */
@Command(
        name = "validate",
        description = "Holds predictions against measured runs.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit status: 0 done, 3 a threshold was not kept, 2 bad input or a recording that cannot be read, 1 a"
                    + " defect of Headroom."
        })
public final class ValidateCommand implements Subcommand {
    @Spec
    CommandSpec spec;

    @Parameters(
            paramLabel = "FOLDER",
            arity = "0..1",
            description = "Recordings (NAME.json.gz) with their archives beside them; without it, the project's own"
                    + " recordings and what others published.")
    @Nullable
    Path folder;

    @Option(names = "--only", paramLabel = "WORD", description = "Runs with this in their source or name.")
    String only = "";

    @Option(names = "--all", description = "Every run, with its phases that differ.")
    boolean all;

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Option(names = "--html", paramLabel = "FILE", description = "Writes everything as a page for the browser, too.")
    @Nullable
    Path html;

    @Option(
            names = "--real-runs",
            paramLabel = "FOLDER",
            description = "Tables of runs that others measured on real GPUs, in the formats of fixtures/real.")
    @Nullable
    Path realRuns;

    @Option(
            names = "--archives",
            paramLabel = "FOLDER",
            description = "With --real-runs: exported models by name (default: those beside the tables).")
    @Nullable
    Path archives;

    @Option(
            names = "--accuracy",
            paramLabel = "FILE",
            description = "With --real-runs: writes a page and its plots, too.")
    @Nullable
    Path accuracy;

    @Option(
            names = "--recorder",
            paramLabel = "FILE",
            description = "Writes a Python script that records your own training loops on your GPU, and ends.")
    @Nullable
    Path recorder;

    @ArgGroup(exclusive = false, validate = false, heading = "%nExit status 3 when exceeded:%n")
    Thresholds thresholds = new Thresholds();

    @Override
    public Integer call() {
        if (recorder != null) {
            if (folder != null) {
                throw new UserInputException("--recorder only writes the script; leave out " + folder);
            }
            Recorder.write(recorder);
            return ExitStatus.OK;
        }
        Unwritable.checkFolder("--accuracy", accuracy);
        Unwritable.checkFolder("--html", html);
        if (realRuns != null) {
            return real(realRuns);
        }
        if (archives != null || accuracy != null) {
            throw new UserInputException("--archives and --accuracy belong to --real-runs FOLDER");
        }
        thresholds.parse();
        List<MeasuredRuns> runs = (folder == null ? Sources.fixtures() : Sources.folder(folder))
                .stream()
                        .filter(run -> (run.source() + " " + run.name()).contains(only))
                        .toList();
        if (runs.isEmpty()) {
            throw new UserInputException("--only: no run has '" + only + "' in its source or name");
        }
        PrintWriter out = spec.commandLine().getOut();
        Validation validation = predict(runs);
        Scores scores = Scores.of(validation.outcomes());
        List<String> exceeded = thresholds.missed(scores);
        if (html != null) {
            page(html, validation, scores, exceeded);
        }
        if (json) {
            ValidationJson.write(validation, scores, exceeded, out);
        } else if (all) {
            TextReport.writeAll(validation, scores, out);
        } else {
            TextReport.write(validation, scores, out);
        }
        out.flush();
        return status(validation, exceeded, spec.commandLine().getErr());
    }

    private Integer real(Path tables) {
        List<Path> folders = archives == null ? List.of(tables.resolve("archives"), tables) : List.of(archives);
        RealReport report = RealReport.of(RealSets.of(tables, folders, only));
        PrintWriter out = spec.commandLine().getOut();
        report.write(out);
        out.flush();
        if (accuracy != null) {
            AccuracyPage.write(report, accuracy);
        }
        return ExitStatus.OK;
    }

    private void page(Path html, Validation validation, Scores scores, List<String> exceeded) {
        try (Writer file = Files.newBufferedWriter(html)) {
            HtmlReport.write(validation, scores, exceeded, file);
        } catch (IOException e) {
            throw Unwritable.of("--html", html, e);
        }
    }

    private static Integer status(Validation validation, List<String> exceeded, PrintWriter err) {
        List<Skipped> faults = validation.skipped().stream()
                .filter(s -> s.cause() != Skipped.Cause.NO_COUNTERPART)
                .toList();
        faults.forEach(s -> err.println("headroom: " + printable(s.name() + ": " + s.reason())));
        exceeded.forEach(line -> err.println("headroom: " + printable(line)));
        err.flush();
        if (!faults.isEmpty()) {
            return faults.stream().anyMatch(s -> s.cause() == Skipped.Cause.DEFECT)
                    ? ExitStatus.DEFECT
                    : ExitStatus.BAD_INPUT;
        }
        return exceeded.isEmpty() ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    /** One line, whatever a file holds. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}+", "?");
    }

    private static Validation predict(List<MeasuredRuns> runs) {
        try (Progress progress = Progress.of("Predicting")) {
            return Validation.of(runs, done -> progress.at(done, runs.size()));
        }
    }
}
