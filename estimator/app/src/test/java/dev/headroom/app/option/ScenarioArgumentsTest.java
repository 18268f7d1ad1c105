package dev.headroom.app.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Options become a run, and the run becomes the same options. */
public class ScenarioArgumentsTest {
    private static final String ALL = "--batch 4 --data one --dim x.1=9 --accumulate 2 --steps 5"
            + " --optimizer sgd --foreach false"
            + " --dtype bf16 --amp bf16 --loss mse --zero-grad-keep --input-grad --drop-outputs"
            + " --checkpoint-modules a.* --checkpoint-modules b..c --reentrant false --channels-last --cudnn-benchmark"
            + " --clip-grad-norm 1.0 --cudnn-workspace none --attention math --torch 2.3 --alloc-conf max_split_size_mb:64"
            + " --seq 512 --image-size 224x308 --task token-classification --mask padded --experts eager --routing worst"
            + " --set num_hidden_layers=2 --checkpoint-every 2 --param-group *.bias,a.b;weight-decay=true --param-group *";

    /** Options of loaders. */
    private static final String FEED =
            "--batch 4 --data prefetch --last-batch 2 --epochs 2 --summary --cudnn 9.1 --loss bce"
                    + " --clip-grad-value 0.5 --compile --compile-budget 0.5 --compile-mode reduce-overhead"
                    + " --compile-dynamic --compile-regions";

    /** Options of fine-tuning and of generation. */
    private static final String ADAPTED =
            "--batch 4 --quant nf4 --double-quant --no-kbit-prepare --load device-map --lora 8"
                    + " --lora-alpha 32 --rslora --lora-dropout 0.05 --targets q_proj,v_proj --target-parameters a.b"
                    + " --modules-to-save lm_head --dora --adapter-dtype model --freeze norm --train bias";

    /** A method of peft in LoRA's place. */
    private static final String METHOD =
            "--batch 4 --lora-dropout 0.1 --targets q_proj --adapter vera --adapter-size 8";

    private static final String CLOSURE = "--batch 4 --optimizer lbfgs --max-iter 5 --history-size 10";

    /** Gradients that are projected, and a few of Liger's kernels. */
    private static final String PROJECTED =
            "--batch 4 --optimizer galore-adamw --optim-target-modules attn,mlp --optim-rank 64 --optim-layerwise"
                    + " --liger --liger-kernels rope,rms-norm";

    private static final String GENERATED = "--batch 4 --inference --generate 8 --cache static";

    /** Options of several GPUs, a line for those that go together. */
    private static final List<String> PARALLEL = List.of(
            "--batch 4 --loop trainer --transformers 4.48 --eval-batch 2 --eval-batches 3 --eval-accumulation 2"
                    + " --eval-metrics",
            "--batch 4 --parallel ddp --world 8 --rank 3 --events lazy --bucket-cap-mb 100.0 --compress fp16",
            "--batch 4 --parallel fsdp2 --world 8 --mesh 2x4 --param-dtype bf16 --reduce-dtype fp32 --wrap root --build meta --build meta"
                    + " --reshard-after-forward 4 --output-dtype fp32",
            "--batch 4 --parallel fsdp2 --world 8 --wrap-modules a.* --wrap-modules b+c=keep",
            "--batch 4 --loop trainer --parallel ddp --world 2 --ddp-find-unused-parameters false",
            "--batch 4 --loop trainer --parallel fsdp2 --world 2 --cpu-ram-efficient-loading false",
            "--batch 4 --parallel fsdp1 --world 4 --strategy NO_SHARD --limit-all-gathers false"
                    + " --backward-prefetch none",
            "--batch 4 --parallel tp --world 8 --tp 4 --tp-plan ../../fixtures/plans/rows.plan.json",
            "--batch 4 --parallel pp --world 4 --schedule GPipe --microbatches 8 --virtual 3",
            "--batch 4 --parallel mp --world 2 --split a --microbatches 4",
            "--batch 4 --parallel zero2 --world 2 --overlap-comm true --ds-config {\"reduce_bucket_size\":1000}");

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
                FEED,
                ADAPTED,
                METHOD,
                CLOSURE,
                PROJECTED,
                GENERATED,
                "--batch 1 --inference",
                "--batch 1 --inference --quant int8 --load device-map",
                "--batch 2 --fused --checkpoint 3 --cudnn-workspace distilled",
                "--batch 2 --optimizer sgd-momentum --cudnn-workspace 4096 --reentrant true --checkpoint 2"
            })
    void theWordsDescribeTheSameRun(String words) {
        List<String> once = roundTrip(words);
        assertEquals(new TreeSet<>(List.of(words.split(" "))), new TreeSet<>(once));
        assertEquals(once, roundTrip(String.join(" ", once)));
    }

    static List<String> parallel() {
        return PARALLEL;
    }

    @ParameterizedTest
    @MethodSource("parallel")
    void theWordsDescribeTheSameRanks(String words) {
        theWordsDescribeTheSameRun(words);
    }

    @SuppressWarnings("unchecked")
    private static Scenario set(Setting<?> flag) {
        return ((Setting<Boolean>) flag).set(new ScenarioOptions().toRun(), true);
    }

    /** A plan of tensor parallelism that nobody named once had none. */
    @Test
    void defaultsHaveJson() {
        assertEquals(
                List.of(),
                ScenarioSettings.written().stream().filter(s -> !hasJson(s)).toList());
    }

    private static <T> boolean hasJson(Setting<T> setting) {
        Object json = setting.words().orElseThrow().format().json().apply(setting.get(Scenario.defaults()));
        return json == null
                || json instanceof Number
                || json instanceof Boolean
                || json instanceof String
                || json instanceof List
                || json instanceof Map;
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
                assertEquals(List.of(option), ScenarioArguments.of(set(setting)));
            } else {
                assertTrue(
                        (" " + String.join(" ", ALL, FEED, ADAPTED, METHOD, CLOSURE, PROJECTED, GENERATED)
                                        + " --checkpoint " + String.join(" ", PARALLEL))
                                .contains(" " + option + " "),
                        option);
            }
        }
    }
}
