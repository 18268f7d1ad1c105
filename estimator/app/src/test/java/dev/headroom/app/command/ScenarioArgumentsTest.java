package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.scenario.ScenarioArguments;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Options become a run, and the run becomes the same options. */
class ScenarioArgumentsTest {
    private static final String ALL = "--batch 4 --dim x.1=9 --accumulate 2 --steps 5 --optimizer sgd --foreach false"
            + " --dtype bf16 --amp bf16 --loss mse --zero-grad-keep --input-grad --drop-outputs"
            + " --checkpoint-modules a.* --checkpoint-modules b..c --reentrant false --channels-last --cudnn-benchmark"
            + " --cudnn-workspace none --attention math --torch 2.3 --alloc-conf max_split_size_mb:64";

    @Command
    private static final class Line {
        @Mixin
        ScenarioOptions scenario = new ScenarioOptions();
    }

    private static List<String> roundTrip(String words) {
        Line line = new Line();
        new CommandLine(line).parseArgs(words.split(" "));
        return ScenarioArguments.of(line.scenario.toRun());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ALL,
                "--batch 1 --inference",
                "--batch 2 --fused --checkpoint 3 --cudnn-workspace distilled",
                "--batch 2 --optimizer sgd-momentum --cudnn-workspace 4096 --reentrant true --checkpoint 2"
            })
    void theWordsDescribeTheSameRun(String words) {
        List<String> once = roundTrip(words);
        assertEquals(new TreeSet<>(List.of(words.split(" "))), new TreeSet<>(once));
        assertEquals(once, roundTrip(String.join(" ", once)));
    }

    @Test
    void defaultsNeedNoWords() {
        assertEquals(List.of(), ScenarioArguments.of(new ScenarioOptions().toRun()));
    }

    /** A new option that takes a value has to be given a word in {@link #ALL}; flags are all tried. */
    @Test
    void noOptionIsForgotten() {
        for (Setting<?> setting : ScenarioSettings.written()) {
            String option = ScenarioArguments.option(setting);
            if (setting.words().orElseThrow().format().arity() == ValueFormat.Arity.FLAG) {
                assertEquals(List.of(option), roundTrip(option));
            } else {
                assertTrue(List.of(ALL.split(" ")).contains(option) || option.equals("--checkpoint"), option);
            }
        }
    }
}
