package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.RankMemory;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a way to spread a run over GPUs costs and saves: the same run is played under plain data parallelism; plain data
 * parallelism itself is compared with one GPU.
 */
final class StrategyFinding {
    /** Kinds whose GPUs work on one batch together, where each rank of ddp has its own. */
    private static final Set<ParallelKind> ONE_BATCH =
            Set.of(ParallelKind.DP, ParallelKind.MP, ParallelKind.TP, ParallelKind.PP, ParallelKind.PP_TP);

    private final ExplainedRun explained;
    private final String own;
    private final String other;
    private final StrategyFigures mine;
    private final StrategyFigures theirs;
    private final List<String> answer = new ArrayList<>();
    private final List<Account> accounts = new ArrayList<>();

    private StrategyFinding(ExplainedRun explained, ExplainedRun plain, String own, String other) {
        this.explained = explained;
        this.own = own;
        this.other = other;
        this.mine = new StrategyFigures(explained);
        this.theirs = new StrategyFigures(plain);
    }

    /** Nothing for a run on one GPU. */
    static Optional<Finding> of(PlayedRun asked, ExplainedRun explained) {
        Parallelism parallel = explained.run().parallel();
        if (parallel.kind() == ParallelKind.SINGLE) {
            return Optional.empty();
        }
        Parallelism plain = plain(parallel);
        String own = parallel.kind().option() + " on " + Words.count(parallel.world(), "GPU");
        String other =
                plain.kind() == ParallelKind.SINGLE ? "one GPU" : plain.kind().option();
        Scenario run = explained.run().withParallel(plain);
        try {
            PlayedRun played = PlayedRun.of(asked.request().with(run).unbounded());
            return Optional.of(
                    new StrategyFinding(explained, new ExplainedRun(played), own, other).finding(asked.prediction()));
        } catch (UserInputException e) {
            return Optional.of(new Finding(
                    "strategy",
                    question(own, other),
                    List.of("There is nothing to compare with: " + other + " refuses the run, " + e.getMessage() + "."),
                    List.of()));
        }
    }

    /** Plain data parallelism on as many GPUs; one GPU, where the run is that already. */
    private static Parallelism plain(Parallelism parallel) {
        Parallelism ddp = Parallelism.DEFAULTS
                .withKind(ParallelKind.DDP)
                .withWorld(parallel.world())
                .withRank(0)
                .withEvents(parallel.events())
                .withNoSync(parallel.noSync());
        return parallel.kind() == ParallelKind.DDP && parallel.ddp().equals(ddp.ddp()) ? Parallelism.DEFAULTS : ddp;
    }

    private static String question(String own, String other) {
        return "What does " + own + " cost and save beside " + other + "?";
    }

    private Finding finding(Prediction asked) {
        ranks(asked);
        peak();
        held("Parameters", mine.kept(Category.PARAMETERS), theirs.kept(Category.PARAMETERS), "between steps");
        held(
                "Gradients",
                mine.afterBackward(Category.GRADIENTS),
                theirs.afterBackward(Category.GRADIENTS),
                "after the backward pass");
        held(
                "Optimizer state",
                mine.kept(Category.OPTIMIZER_STATE),
                theirs.kept(Category.OPTIMIZER_STATE),
                "between steps");
        buffers();
        communication();
        if (ONE_BATCH.contains(explained.run().parallel().kind())) {
            answer.add("The batch is that of all its GPUs together; under ddp every rank has one as large for itself.");
        }
        return new Finding("strategy", question(own, other), answer, accounts);
    }

    /** Which rank is told, where the question was about all. */
    private void ranks(Prediction asked) {
        if (asked.ranks().size() > 1) {
            RankMemory least = asked.ranks().get(asked.ranks().size() - 1);
            answer.add("This is rank " + explained.run().parallel().rank() + ", which takes most; ranks "
                    + least.words() + " take least, " + Words.size(least.peak().allocated()) + ".");
            accounts.add(new Account(
                    "the least that a rank allocates",
                    least.peak().allocated(),
                    List.of(new Account.Part("peak", least.peak().allocated()))));
        } else if (asked.ranks().size() == 1) {
            answer.add("All ranks take the same; this is rank "
                    + explained.run().parallel().rank() + ".");
        }
    }

    private void peak() {
        long change = mine.peak() - theirs.peak();
        account("peak", mine.peak(), theirs.peak());
        answer.add("The peak of allocated memory is "
                + (change == 0
                        ? "the same, " + Words.size(mine.peak())
                        : Words.size(Math.abs(change)) + " (" + Words.share(Math.abs(change), theirs.peak()) + ") "
                                + (change < 0 ? "lower" : "higher") + ": " + Words.size(mine.peak()) + " instead of "
                                + Words.size(theirs.peak()))
                + ".");
    }

    private void account(String of, long own, long before) {
        accounts.add(new Account(
                of, own, List.of(new Account.Part(other, before), new Account.Part("change", own - before))));
    }

    private void held(String what, long own, long before, String when) {
        if (own == 0 && before == 0) {
            return;
        }
        account(what.toLowerCase(java.util.Locale.ROOT), own, before);
        answer.add(what + ": "
                + (own == before
                        ? Words.size(own) + " " + when + ", as there."
                        : Words.size(own) + " " + when + " instead of " + Words.size(before) + " ("
                                + Words.change(own - before) + ")."));
    }

    /** What is whole for a while, and what is gathered into and reduced from. */
    private void buffers() {
        long gathered = mine.most(Category.PARAMETERS) - mine.kept(Category.PARAMETERS);
        if (gathered > 0) {
            answer.add("In a step parameters come to " + Words.size(gathered)
                    + " more: gathered ones, for as long as they are whole.");
            accounts.add(new Account(
                    "gathered parameters", gathered, List.of(new Account.Part("at most at once", gathered))));
        }
        List<String> largest = new ArrayList<>();
        buffer(largest, "gathered", CollectiveKind.ALL_GATHER);
        buffer(largest, "reduced", CollectiveKind.REDUCE_SCATTER, CollectiveKind.ALL_REDUCE, CollectiveKind.REDUCE);
        if (!largest.isEmpty()) {
            answer.add("The largest buffer that is " + Words.list(largest) + ".");
        }
    }

    private void buffer(List<String> largest, String done, CollectiveKind... kinds) {
        long bytes = mine.largest(kinds);
        long before = theirs.largest(kinds);
        if (bytes > 0) {
            largest.add(done + " has " + Words.size(bytes)
                    + (before > 0 && before != bytes ? " (there " + Words.size(before) + ")" : ""));
            account("the largest buffer that is " + done, bytes, before);
        }
    }

    private void communication() {
        long own = mine.communicated();
        long before = theirs.communicated();
        if (own == 0) {
            answer.add("In a step it hands nothing to NCCL"
                    + (before == 0 ? "." : "; there a rank hands over " + Words.size(before) + "."));
            account("communicated in a step", own, before);
            return;
        }
        answer.add("In a step the rank hands NCCL " + operations(mine)
                + (before == 0 ? "" : "; there " + operations(theirs)) + ".");
        if (before > 0) {
            answer.add("An all_reduce sends its buffer about twice, an all_gather or a reduce_scatter once.");
        }
        account("communicated in a step", own, before);
        accounts.add(new Account("communicated in a step, by operation", own, mine.operations()));
        accounts.add(new Account("communicated in a step of " + other + ", by operation", before, theirs.operations()));
    }

    /** {@code all_gather 1.00 GiB and reduce_scatter 512.00 MiB}. */
    private static String operations(StrategyFigures figures) {
        return Words.list(figures.operations().stream()
                .map(p -> p.name() + " " + Words.size(p.bytes()))
                .toList());
    }
}
