package dev.headroom.app.command;

import static dev.headroom.app.option.CommandSpecs.isGiven;

import dev.headroom.advisor.checkpoints.CheckpointPlanner;
import dev.headroom.advisor.checkpoints.CheckpointPlans;
import dev.headroom.advisor.plans.Advice;
import dev.headroom.advisor.plans.Advisor;
import dev.headroom.advisor.plans.Goal;
import dev.headroom.advisor.strategies.PlayedStrategy;
import dev.headroom.advisor.strategies.StrategySearch;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.option.GpuCount;
import dev.headroom.app.report.AdviceJson;
import dev.headroom.app.report.AdviceReport;
import dev.headroom.app.report.CheckpointReport;
import dev.headroom.app.report.StrategyReport;
import dev.headroom.app.report.Style;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code headroom advise}: what to change. */
final class AdviseCommand implements Callable<Integer> {
    private final Services engine;

    private final OptionSpec checkpoints = CommandSpecs.flag(
            "--checkpoints",
            "In place of plans: how far recomputation lowers the peak, and at what price; needs no device.");

    private final QuestionOptions question;

    private final OptionSpec keepBatch =
            CommandSpecs.flag("--keep-batch", "A step keeps its samples, in more passes if need be (default).");

    private final OptionSpec maxBatch = CommandSpecs.flag("--max-batch", "The largest batch of one pass.");

    private final OptionSpec gpus = CommandSpecs.one(
            "--gpus", String.class, "N", "In place of plans: strategies for so many GPUs, such as 8 or 8xa100-80gb.");

    private final OptionSpec fewest =
            CommandSpecs.flag("--fewest-gpus", "In place of plans: the least GPUs on which a strategy fits.");

    private final OptionSpec json = CommandSpecs.flag("--json", "One JSON object on standard output.");

    final CommandSpec spec = CommandSpecs.command(
            "advise", this, "Says what to change so that a training run fits, or so that a larger batch does.");

    /** @param offered the settings that have an option */
    AdviseCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
        spec.addOption(checkpoints);
        question.addTo(spec);
        spec.addOption(keepBatch)
                .addOption(maxBatch)
                .addOption(gpus)
                .addOption(fewest)
                .addOption(json);
        CommandSpecs.withHelp(spec);
        spec.usageMessage()
                .sortOptions(false)
                .footer(
                        "",
                        "Exit status: 0 the run or a plan fits, 3 nothing fits, 2 bad input, 1 a defect of Headroom.");
    }

    @Override
    public Integer call() {
        if (isGiven(keepBatch) && isGiven(maxBatch)) {
            throw new BadOption("--keep-batch cannot be combined with --max-batch; leave out one of them");
        }
        String given = gpus.getValue();
        GpuCount count = given == null ? null : GpuCount.parse("--gpus", given);
        if (count != null && count.card() != null) {
            question.device.name(count.card());
        }
        Scenario asked = question.asked();
        List<String> idle = question.withoutEffect(asked);
        if (!idle.isEmpty()) {
            throw new BadOption(idle.get(0) + "; leave it out");
        }
        if (isGiven(checkpoints)) {
            return curve();
        }
        if (asked.device().total() == null && asked.device().limit() == null) {
            throw new BadOption("advise needs to know the memory there is; "
                    + (count == null ? "" : "write --gpus " + count.gpus() + "xNAME, or ")
                    + "add `gpu=NAME` or `memory=SIZE`");
        }
        if (count != null || isGiven(fewest)) {
            return strategies(count, asked);
        }
        PredictionRequest request = question.read(engine);
        Advice advice = advise(request);
        PrintWriter out = spec.commandLine().getOut();
        if (isGiven(json)) {
            AdviceJson.write(advice, out);
        } else {
            AdviceReport.write(advice, Style.forTerminal(), out);
        }
        out.flush();
        return advice.possible() ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private int strategies(@Nullable GpuCount count, Scenario asked) {
        if (isGiven(keepBatch) || isGiven(maxBatch) || count != null && isGiven(fewest)) {
            throw new BadOption((count == null ? "--fewest-gpus" : "--gpus") + " cannot be combined with "
                    + (isGiven(keepBatch) ? "--keep-batch" : isGiven(maxBatch) ? "--max-batch" : "--fewest-gpus")
                    + "; leave out one of them");
        }
        if (asked.parallel().kind() != ParallelKind.SINGLE) {
            throw new BadOption("--parallel: advise tries the strategies itself; leave it out");
        }
        PredictionRequest request = question.read(engine);
        PrintWriter out = spec.commandLine().getOut();
        List<PlayedStrategy> all = List.of();
        int world;
        try (Progress progress = Progress.of("Simulating")) {
            StrategySearch search = new StrategySearch(request, played -> progress.at(played, -1));
            world = count != null ? count.gpus() : search.fewest().orElse(0);
            if (world > 0) {
                all = search.on(world);
            }
        }
        if (isGiven(json)) {
            StrategyReport.writeJson(world, all, out);
        } else if (world == 0) {
            out.println(request.graph().name() + ": no strategy fits on any number of GPUs, as --batch is what each of"
                    + " them gets; take a smaller one, or --checkpoint 1");
        } else {
            StrategyReport.write(request.graph().name(), world, all, Style.forTerminal(), out);
        }
        out.flush();
        return all.stream().anyMatch(PlayedStrategy::fits) ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private Advice advise(PredictionRequest request) {
        try (Progress progress = Progress.of("Simulating")) {
            return Advisor.advise(
                    request,
                    isGiven(maxBatch) ? Goal.MAX_BATCH : Goal.KEEP_BATCH,
                    run -> engine.reader().apply(question.model(), run),
                    played -> progress.at(played, -1));
        }
    }

    private int curve() {
        if (isGiven(keepBatch) || isGiven(maxBatch)) {
            throw new BadOption("--checkpoints cannot be combined with "
                    + (isGiven(keepBatch) ? "--keep-batch" : "--max-batch") + "; leave out one of them");
        }
        PredictionRequest request = question.read(engine);
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        PrintWriter out = spec.commandLine().getOut();
        if (isGiven(json)) {
            CheckpointReport.writeJson(plans, out);
        } else {
            CheckpointReport.write(request.graph().name(), plans, Style.forTerminal(), out);
        }
        out.flush();
        return ExitStatus.OK;
    }
}
