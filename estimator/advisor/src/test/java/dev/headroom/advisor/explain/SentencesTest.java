package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.timeline.LiveTensor;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No sentence has a number that is not in an account or in the timeline. */
class SentencesTest {
    private static final Set<String> OF_THE_TIMELINE =
            Set.of("peak", "alive", "forward", "loss", "backward", "optimizer", "remains", "steps");

    /** What is "other" is the rest of an account. */
    private static final Pattern SIZE =
            Pattern.compile("(?<![0-9.])([0-9]+(?:\\.[0-9]+)? (?:bytes|KiB|MiB|GiB))(?! other)");

    private static UnaryOperator<Scenario> options(String name) {
        return switch (name) {
            case "checkpoint" -> run -> run.with(CHECKPOINT, 2);
            case "keep" -> run -> run.with(ZERO_GRAD_KEEP, true);
            case "accumulate" -> run -> run.with(ACCUMULATE, 2);
            case "autocast" ->
                run -> run.with(AMP, DType.FLOAT16).with(CHECKPOINT_MODULES, List.of("bert.encoder.layer.*"));
            case "inference" -> run -> run.with(INFERENCE, true);
            default -> UnaryOperator.identity();
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mlp-xor:512:plain",
                "small/resnet18:8:plain",
                "small/gpt2:2:keep",
                "small/gpt2:2:checkpoint",
                "small/bert-base:2:accumulate",
                "small/bert-base:2:autocast",
                "small/vit_b_16:2:inference"
            })
    void numbersAreAccountedFor(String what) {
        String[] parts = what.split(":");
        Explanation explanation = Explanation.of(Runs.request(parts[0], Long.parseLong(parts[1]), options(parts[2])));
        Set<String> timeline = timeline(explanation.run().timeline());
        for (Finding f : explanation.findings()) {
            if (!OF_THE_TIMELINE.contains(f.key())) {
                continue;
            }
            Set<String> known = new HashSet<>(timeline);
            for (Account a : f.accounts()) {
                known.add(Words.size(Math.abs(a.bytes())));
                a.parts().forEach(p -> known.add(Words.size(Math.abs(p.bytes()))));
            }
            String text = f.question() + " " + String.join(" ", f.answer());
            Matcher sizes = SIZE.matcher(text);
            while (sizes.find()) {
                assertTrue(
                        known.contains(sizes.group(1)), what + " " + f.key() + ": " + sizes.group(1) + " in " + text);
            }
            assertFalse(text.contains("null") || text.contains("  "), text);
            assertFalse(f.question().matches(".* -[0-9].*"), f.question());
        }
    }

    /** Autocast forgets its copies of the weights at its end, when the loss is small beside them. */
    @Test
    void memoryMayFallInTheLoss() {
        Explanation explanation = Explanation.of(Runs.request("bert-base-cls-s128", 8, options("autocast")));
        Finding loss = Runs.finding(explanation, "loss");
        assertTrue(loss.question().startsWith("Why does memory fall by "), loss::question);
        assertTrue(loss.accounts().get(0).bytes() < 0, loss::toString);
    }

    /** Tensors, and allocated memory where phases end and where they are highest. */
    private static Set<String> timeline(Timeline t) {
        Set<String> known = new HashSet<>();
        for (LiveTensor tensor : t.tensors()) {
            known.add(Words.size(tensor.requested()));
        }
        for (PhaseSpan span : t.phases()) {
            long end = span.to() == 0 ? 0 : t.allocated(span.to() - 1);
            known.add(Words.size(end));
            int peak = t.peak(span);
            if (peak >= 0) {
                known.add(Words.size(t.allocated(peak)));
                known.add(Words.size(t.allocated(peak) - end));
            }
        }
        return known;
    }
}
