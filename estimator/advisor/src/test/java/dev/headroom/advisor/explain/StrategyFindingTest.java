package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ParallelSettings.GRADIENT_AS_BUCKET_VIEW;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.parallel.ParallelKind;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is said of runs on several GPUs. */
class StrategyFindingTest {
    private static final Pattern SIZE = Pattern.compile("[0-9]+(?:\\.[0-9]+)? (?:bytes?|KiB|MiB|GiB)");

    private static Explanation explain(ParallelKind kind, Integer rank) {
        return Explanation.of(Runs.request("small/resnet18", 4, run -> run.with(PARALLEL, kind)
                .with(WORLD, 2)
                .with(RANK, rank)));
    }

    private static Account account(Finding finding, String of) {
        return finding.accounts().stream()
                .filter(a -> a.of().equals(of))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(names = {"DP", "MP", "DDP", "FSDP1", "FSDP2", "ZERO1", "ZERO2", "ZERO3"})
    void numbersAreAccountedFor(ParallelKind kind) {
        Finding finding = Runs.finding(explain(kind, null), "strategy");
        Set<String> known = new HashSet<>();
        for (Account a : finding.accounts()) {
            known.add(Words.size(Math.abs(a.bytes())));
            a.parts().forEach(p -> known.add(Words.size(Math.abs(p.bytes()))));
        }
        String text = String.join(" ", finding.answer());
        Matcher sizes = SIZE.matcher(text);
        while (sizes.find()) {
            assertTrue(known.contains(sizes.group()), () -> sizes.group() + " in " + text);
        }
        assertTrue(finding.question().endsWith(kind == ParallelKind.DDP ? "beside one GPU?" : "beside ddp?"));
    }

    @Test
    void aShardedRankHoldsAPartOfEverything() {
        Finding finding = Runs.finding(explain(ParallelKind.FSDP2, 1), "strategy");
        for (String of : new String[] {"parameters", "gradients", "optimizer state"}) {
            Account held = account(finding, of);
            long whole = Runs.part(held, "ddp");
            assertTrue(held.bytes() < whole, held::toString);
        }
        assertTrue(account(finding, "gathered parameters").bytes() > 0);
        assertTrue(Runs.part(account(finding, "communicated in a step, by operation"), "all_gather") > 0);
    }

    @Test
    void theRankThatTakesMostIsNamedUnlessOneWas() {
        String all = String.join(
                " ", Runs.finding(explain(ParallelKind.FSDP2, null), "strategy").answer());
        String one = String.join(
                " ", Runs.finding(explain(ParallelKind.FSDP2, 1), "strategy").answer());
        assertTrue(all.contains("rank 0"), all);
        assertTrue(!one.contains("this is rank") && !one.contains("This is rank"), one);
    }

    @Test
    void dataParallelismOfAnotherKindIsComparedWithThePlainOne() {
        Finding finding = Runs.finding(
                Explanation.of(Runs.request("small/resnet18", 4, run -> run.with(PARALLEL, ParallelKind.DDP)
                        .with(WORLD, 2)
                        .with(GRADIENT_AS_BUCKET_VIEW, true))),
                "strategy");
        assertTrue(finding.question().endsWith("beside ddp?"));
        assertTrue(account(finding, "gradients").bytes() < Runs.part(account(finding, "gradients"), "ddp"));
    }

    @Test
    void aRunOnOneGpuHasNoStrategy() {
        Explanation single = Explanation.of(Runs.request("small/resnet18", 4, run -> run));
        assertEquals(
                0,
                single.findings().stream()
                        .filter(f -> f.key().equals("strategy"))
                        .count());
    }

    /** Memory of several streams is placed as it was. */
    @ParameterizedTest
    @EnumSource(names = {"DDP", "FSDP1", "FSDP2", "ZERO3"})
    void aShortageOnSeveralGpusIsExplained(ParallelKind kind) {
        Explanation explanation =
                Explanation.of(Runs.request("small/gpt2", 4, "v100-16gb", 8L << 20, run -> run.with(PARALLEL, kind)
                        .with(WORLD, 2)));
        assertTrue(explanation.run().prediction().oom() != null);
        assertTrue(Runs.finding(explanation, "strategy").accounts().size() > 3);
    }
}
