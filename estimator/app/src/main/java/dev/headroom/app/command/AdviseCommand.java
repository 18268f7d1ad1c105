package dev.headroom.app.command;

import dev.headroom.advisor.checkpoints.CheckpointPlanner;
import dev.headroom.advisor.checkpoints.CheckpointPlans;
import dev.headroom.advisor.plans.Advice;
import dev.headroom.advisor.plans.Advisor;
import dev.headroom.advisor.plans.Goal;
import dev.headroom.advisor.strategies.PlayedStrategy;
import dev.headroom.advisor.strategies.StrategySearch;
import dev.headroom.app.option.BadOption;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom advise}: what to change. */
@Command(
        name = "advise",
        description = "Says what to change so that a training run fits, or so that a larger batch does.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {"", "Exit status: 0 the run or a plan fits, 3 nothing fits, 2 bad input, 1 a defect of Headroom."})
final class AdviseCommand implements Callable<Integer> {
    private final Services engine;

    @Spec
    CommandSpec spec;

    @Option(
            names = "--checkpoints",
            description =
                    "In place of plans: how far recomputation lowers the peak, and at what price; needs no device.")
    boolean checkpoints;

    @Mixin
    QuestionOptions question;

    @Option(names = "--keep-batch", description = "A step keeps its samples, in more passes if need be (default).")
    boolean keepBatch;

    @Option(names = "--max-batch", description = "The largest batch of one pass.")
    boolean maxBatch;

    @Option(
            names = "--gpus",
            paramLabel = "N",
            description = "In place of plans: strategies for so many GPUs, such as 8 or 8xa100-80gb.")
    @Nullable
    String gpus;

    @Option(names = "--fewest-gpus", description = "In place of plans: the least GPUs on which a strategy fits.")
    boolean fewest;

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    /** @param offered the settings that have an option */
    AdviseCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
    }

    @Override
    public Integer call() {
        if (keepBatch && maxBatch) {
            throw new BadOption("--keep-batch cannot be combined with --max-batch; leave out one of them");
        }
        GpuCount count = gpus == null ? null : GpuCount.parse("--gpus", gpus);
        if (count != null && count.card() != null) {
            question.device.name(count.card());
        }
        Scenario asked = question.asked();
        List<String> idle = question.withoutEffect(asked);
        if (!idle.isEmpty()) {
            throw new BadOption(idle.get(0) + "; leave it out");
        }
        if (checkpoints) {
            return curve();
        }
        if (asked.device().total() == null && asked.device().limit() == null) {
            throw new BadOption("advise needs to know the memory there is; "
                    + (count == null ? "" : "write --gpus " + count.gpus() + "xNAME, or ")
                    + "add `gpu=NAME` or `memory=SIZE`");
        }
        if (count != null || fewest) {
            return strategies(count, asked);
        }
        PredictionRequest request = question.read(engine);
        Advice advice = advise(request);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            AdviceJson.write(advice, out);
        } else {
            AdviceReport.write(advice, Style.forTerminal(), out);
        }
        out.flush();
        return advice.possible() ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private int strategies(@Nullable GpuCount count, Scenario asked) {
        if (keepBatch || maxBatch || count != null && fewest) {
            throw new BadOption((count == null ? "--fewest-gpus" : "--gpus") + " cannot be combined with "
                    + (keepBatch ? "--keep-batch" : maxBatch ? "--max-batch" : "--fewest-gpus")
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
        if (json) {
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
                    maxBatch ? Goal.MAX_BATCH : Goal.KEEP_BATCH,
                    run -> engine.reader().apply(question.model, run),
                    played -> progress.at(played, -1));
        }
    }

    private int curve() {
        if (keepBatch || maxBatch) {
            throw new BadOption("--checkpoints cannot be combined with " + (keepBatch ? "--keep-batch" : "--max-batch")
                    + "; leave out one of them");
        }
        PredictionRequest request = question.read(engine);
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            CheckpointReport.writeJson(plans, out);
        } else {
            CheckpointReport.write(request.graph().name(), plans, Style.forTerminal(), out);
        }
        out.flush();
        return ExitStatus.OK;
    }
}
