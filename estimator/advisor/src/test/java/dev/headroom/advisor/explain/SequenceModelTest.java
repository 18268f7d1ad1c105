package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.scenario.TorchVersion;
import org.junit.jupiter.api.Test;

/**
 * The five questions of the published system P7 (2018): why the loss adds 458 MB, why backward peaks above the end of
 * forward, what the 1300 MB after the first optimizer step are, why step 1 peaks 847 MB higher than step 0, and what to
 * change. Published figures are MiB.
 */
class SequenceModelTest {
    private static final double MIB = 1 << 20;

    /** Vocabulary of 30000, 50 words of 80 sentences. */
    private static final long LOGITS = 30000L * 50 * 80 * 4;

    private static final Explanation EXPLANATION = Explanation.of(
            Runs.request("published/seq2seq-gru-packed-s50", 80, run -> run.with(TORCH, TorchVersion.of("1.0"))
                    .with(ZERO_GRAD_KEEP, true)));

    @Test
    void theLossKeepsTheResultOfLogSoftmax() {
        Finding loss = Runs.finding(EXPLANATION, "loss");
        Account account = loss.accounts().get(0);
        assertEquals(458, account.bytes() / MIB, 1);
        assertTrue(Runs.part(account, "saved by the loss") >= LOGITS);
        assertTrue(loss.answer().get(0).contains("float32[4000, 30000], 457.76 MiB"));
        assertTrue(loss.answer().get(0).contains("until LogSoftmaxBackward0 has run"));
        assertTrue(loss.answer().get(1).contains("outputs, 457.76 MiB"));
    }

    @Test
    void backwardMakesTwoGradientsOfTheLogitsWhileAllThatWasSavedIsThere() {
        Finding backward = Runs.finding(EXPLANATION, "backward");
        Account rise = backward.accounts().get(0);
        assertEquals(3482 - 2566, rise.bytes() / MIB, 2);
        assertEquals(LOGITS, Runs.part(rise, "made by LogSoftmaxBackward0"));
        assertEquals(LOGITS, Runs.part(rise, "made by NllLossBackward0"));
        assertEquals(3482 - 2108, backward.accounts().get(1).bytes() / MIB, 2);
        assertTrue(backward.answer().get(2).contains("(100 %)"));
    }

    @Test
    void whatRemainsIsStateGradientsAndTheOutputs() {
        Account account = Runs.finding(EXPLANATION, "remains").accounts().get(0);
        long parameters = Runs.part(Runs.finding(EXPLANATION, "peak").accounts().get(0), "parameters");
        assertEquals(1300, account.bytes() / MIB, 2);
        assertEquals(2 * parameters, Runs.part(account, "optimizer state"));
        assertEquals(parameters, Runs.part(account, "gradients"));
        assertEquals(LOGITS + 4, Runs.part(account, "outputs"));
    }

    @Test
    void stepOneHasStateAndTheGradientsOfStepZero() {
        Finding steps = Runs.finding(EXPLANATION, "steps");
        Account account = steps.accounts().get(0);
        assertEquals(847, account.bytes() / MIB, 2);
        assertEquals(561, Runs.part(account, "optimizer state") / MIB, 2);
        assertEquals(280, Runs.part(account, "gradients") / MIB, 2);
        assertTrue(steps.answer().get(2).contains("Step 2 peaks as step 1 does"));
    }

    @Test
    void gradientsNeedNotBeKept() {
        String help = String.join("\n", Runs.finding(EXPLANATION, "help").answer());
        assertTrue(help.contains("p.grad = None in place of zero_grad(): up to 7 % less; 279.65 MiB"), help);
        assertTrue(help.contains("`batch=40` `accumulate=2`"), help);
        String not = String.join("\n", Runs.finding(EXPLANATION, "no_help").answer());
        assertTrue(not.contains("empty_cache"), not);
    }
}
