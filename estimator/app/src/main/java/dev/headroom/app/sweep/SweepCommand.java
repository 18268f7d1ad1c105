package dev.headroom.app.sweep;

import dev.headroom.app.command.ExitStatus;
import dev.headroom.app.command.Progress;
import dev.headroom.app.command.Subcommand;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.sweep.heat.HeatMap;
import dev.headroom.app.sweep.heat.HeatMapFile;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom sweep}: predicts many scenarios. */
@Command(
        name = "sweep",
        description = "Predicts many scenarios, all combinations of a grid or the rows of a table, on all cores.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "A sweep that was killed goes on where it was when the same command is given again.",
            "Exit status: 0 some scenario has an answer, 2 bad input, 1 a defect of Headroom."
        })
public class SweepCommand implements Subcommand {
    @Spec
    CommandSpec spec;

    @Parameters(
            paramLabel = "SCENARIOS",
            description = "A grid in YAML, options with lists of values, or a table in CSV, a column for each option.")
    Path file = Path.of("");

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "OUT",
            description = "The table to write: OUT.csv, OUT.jsonl or OUT.parquet.")
    Path out = Path.of("");

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            description = "Only the I-th of N parts, such as 1/8; all parts together have every row once.")
    @Nullable
    String part;

    @Option(names = "--jobs", paramLabel = "N", description = "Threads (default: one for each core).")
    int jobs = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--heatmap",
            paramLabel = "OUT",
            description = "Draws device memory over two options: OUT.svg, OUT.png or OUT.html.")
    @Nullable
    Path heatmap;

    @Option(
            names = "--axes",
            split = ",",
            paramLabel = "X,Y",
            description = "The options of --heatmap (default: batch and seq, or the first with several numbers).")
    List<String> axes = List.of();

    /** For the command line. */
    public SweepCommand() {}

    @Override
    public Integer call() {
        TableFile.format(out);
        Shard shard = part == null ? Shard.ALL : Shard.parse(part);
        if (jobs < 1) {
            throw new BadOption("--jobs: " + jobs + " threads do nothing; give 1 or more");
        }
        Scenarios scenarios = Scenarios.read(file);
        Finish.HeatMapRows map = map(scenarios);
        Sweep sweep = new Sweep(scenarios, shard);
        int[] rows = sweep.rows();
        if (rows.length == 0) {
            throw new UserInputException(file + ": nothing to predict" + (part == null ? "" : " in shard " + part));
        }
        PrintWriter to = spec.commandLine().getOut();
        try (Journal journal = Journal.open(out, SweepIdentity.of(scenarios), scenarios.size())) {
            long before = journal.done();
            try (Progress progress = Progress.of("Predicting")) {
                answer(sweep, journal, done -> progress.at(done, rows.length));
            }
            Finish finish = new Finish(scenarios, journal, rows);
            BitSet pareto = finish.pareto();
            List<Row> shown = finish.first(pareto);
            Finish.Counts counts = finish.write(out, pareto, map);
            SweepSummary.write(out, counts, before, telling(scenarios), shown, pareto.cardinality(), to);
            if (map != null && heatmap != null) {
                draw(map.map(), heatmap);
            }
            to.flush();
            return counts.failed() == counts.all() ? ExitStatus.BAD_INPUT : ExitStatus.OK;
        } catch (IOException e) {
            throw Unwritable.of("-o", out, e);
        }
    }

    /**
     * Answers what the journal does not have, on the threads of this machine.
     *
     * @param progress is told how many rows are done
     */
    void answer(Sweep sweep, Journal journal, IntConsumer progress) {
        sweep.run(journal, jobs, progress);
    }

    /** Columns in which rows differ. */
    private static List<Column> telling(Scenarios scenarios) {
        return Column.options(scenarios).stream()
                .filter(option -> HeatMapAxes.varies(scenarios, option.name()))
                .toList();
    }

    private static void draw(HeatMap map, Path file) {
        if (map.panels().isEmpty()) {
            throw new BadOption("--heatmap: no scenario has an answer with both " + map.x() + " and " + map.y());
        }
        if (map.panels().size() > 1 && !HeatMapFile.isPage(file)) {
            throw new BadOption("--heatmap: beside " + map.x() + " and " + map.y() + " the other options have "
                    + map.panels().size() + " combinations, and an image shows one; write .html, which has all");
        }
        HeatMapFile.write(map, file);
    }

    private Finish.@Nullable HeatMapRows map(Scenarios scenarios) {
        if (heatmap == null) {
            if (!axes.isEmpty()) {
                throw new BadOption("--axes are those of a heat map; add --heatmap OUT.html");
            }
            return null;
        }
        HeatMapFile.check(heatmap);
        List<String> chosen = HeatMapAxes.of(scenarios, axes);
        return new Finish.HeatMapRows(new HeatMap(chosen.get(0), chosen.get(1)), Column.kept(scenarios));
    }
}
