package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.page.Page;
import dev.headroom.app.page.PageRun;
import dev.headroom.app.report.ScenarioText;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.graph.Graph;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The page of {@code --report}, and the scenarios that stand on it beside the asked one. */
final class ReportOptions {
    private final OptionSpec report = CommandSpecs.one(
            "--report",
            Path.class,
            "OUT",
            "Writes the run as a page for a browser: timeline, tensors, segments, layers.");

    private final OptionSpec compare = CommandSpecs.many(
                    "--compare",
                    "OPTIONS",
                    "Another scenario on the page of --report: what differs, such as '--batch 64 --amp bf16';"
                            + " repeatable.")
            .parameterConsumer(new AsItIs())
            .build();

    private final List<ComparedScenario> scenarios = new ArrayList<>();

    void addTo(CommandSpec spec) {
        spec.addOption(report).addOption(compare);
    }

    private @Nullable Path report() {
        return report.getValue();
    }

    /**
     * Reads the scenarios to compare with.
     *
     * @param asked the options of the command line
     * @throws dev.headroom.model.error.UserInputException for options that cannot be
     */
    void check(List<OptionSpec> asked) {
        List<String> compared = AsItIs.values(compare);
        if (!compared.isEmpty() && report() == null) {
            throw new BadOption("--compare needs the page it goes on; add --report OUT.html");
        }
        Unwritable.checkFolder("--report", report());
        compared.forEach(text -> scenarios.add(ComparedScenario.parse(text, asked)));
    }

    /** Whether there is to be a page. */
    boolean asked() {
        return report() != null;
    }

    /**
     * Plays the other scenarios and writes the page, if one is asked for.
     *
     * @param run what was asked for
     * @throws dev.headroom.model.error.UserInputException when a scenario cannot be, or the file cannot be written
     */
    void write(PlayedRun run) {
        Path file = report();
        if (file != null) {
            write(run, file);
        }
    }

    private void write(PlayedRun run, Path report) {
        Graph graph = run.request().graph();
        List<PageRun> runs = new ArrayList<>();
        runs.add(PageRun.explained(
                scenarios.isEmpty() ? ScenarioText.words(run.request().scenario()) : "as asked", run));
        for (ComparedScenario other : scenarios) {
            PredictionRequest request = other.request(graph);
            PlayedRun played = PlayedRun.of(request);
            runs.add(PageRun.explained(other.label(), played.with(other.notes(played.prediction()))));
        }
        try (Writer out = Files.newBufferedWriter(report, StandardCharsets.UTF_8)) {
            Page.write(runs, out);
        } catch (IOException e) {
            throw Unwritable.of("--report", report, e);
        } catch (UncheckedIOException e) {
            throw Unwritable.of("--report", report, Objects.requireNonNull(e.getCause(), "a cause"));
        }
    }

    /** Takes the next word whatever it is: {@code --fused} means that option elsewhere, and text here. */
    private static final class AsItIs implements IParameterConsumer {
        static List<String> values(ArgSpec option) {
            List<String> values = option.getValue();
            return values == null ? List.of() : values;
        }

        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
            if (words.isEmpty()) {
                throw new MissingParameterException(command.commandLine(), List.of(option), "--compare needs a value");
            }
            List<String> values = new ArrayList<>(values(option));
            values.add(words.pop());
            option.setValue(values);
        }
    }
}
