package dev.headroom.app.command;

import dev.headroom.advisor.serving.Capacity;
import dev.headroom.advisor.serving.ServeCapacity;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.report.CapacityReport;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.scenario.GenerationSettings;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code headroom serve-capacity}: how many requests of generate() a card takes at once. */
final class ServeCapacityCommand implements Callable<Integer> {
    static final String NAME = "serve-capacity";

    private static final int NEW_TOKENS = 128;

    private final Services engine;

    private final QuestionOptions question;

    private final OptionSpec prompts = OptionSpec.builder("--prompts")
            .arity("1")
            .type(List.class)
            .auxiliaryTypes(Long.class)
            .splitRegex(",")
            .paramLabel("N,N,…")
            .description("Lengths of prompts, in tokens (default: --seq, else 512,2048,8192).")
            .build();

    private final OptionSpec json = CommandSpecs.flag("--json", "One JSON object on standard output.");

    final CommandSpec spec = CommandSpecs.command(
            NAME, this, "Finds how many requests, and tokens, generate() serves on a card at once.");

    /** @param offered the settings that have an option */
    ServeCapacityCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
        question.addTo(spec);
        CommandSpecs.withHelp(spec.addOption(prompts).addOption(json));
        spec.usageMessage()
                .sortOptions(false)
                .footer("", "Exit status: 0 something fits, 3 nothing fits, 2 bad input, 1 a defect of Headroom.");
    }

    @Override
    public Integer call() {
        Scenario asked = question.asked();
        if (asked.sizes().batch() != null) {
            throw new BadOption("--batch: serve-capacity finds the batch; leave it out");
        }
        Scenario run = asked.generation().any() ? asked : asked.with(GenerationSettings.GENERATE, NEW_TOKENS);
        List<Long> lengths = lengths(run);
        Scenario first = run.with(ModelSettings.SEQ, lengths.get(0));
        Long room = Predictor.room(new PredictionRequest(engine.reader().apply(question.model(), first), first));
        if (room == null) {
            throw new BadOption("serve-capacity needs a card to serve on; pass --gpu NAME or --memory SIZE");
        }
        Capacity capacity = new ServeCapacity(s -> engine.reader().apply(question.model(), s), run, room).of(lengths);
        PrintWriter out = spec.commandLine().getOut();
        String model = engine.reader().apply(question.model(), first).name();
        if (CommandSpecs.isGiven(json)) {
            CapacityReport.writeJson(model, run, capacity, out);
        } else {
            CapacityReport.write(model, run, capacity, out);
        }
        out.flush();
        return capacity.rows().stream().anyMatch(row -> row.requests() > 0) ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private List<Long> lengths(Scenario run) {
        Long seq = run.model().seq();
        List<Long> given = prompts.getValue();
        List<Long> lengths = given != null ? given : seq != null ? List.of(seq) : List.of(512L, 2048L, 8192L);
        for (Long length : lengths) {
            if (length < 1) {
                throw new BadOption("--prompts: " + length + " is no length; prompts have at least 1 token");
            }
        }
        return lengths;
    }
}
