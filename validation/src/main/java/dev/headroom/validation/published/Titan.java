package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.PARAM_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.REDUCE_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CLIP_GRAD_NORM;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.decoder.TitanDecoder;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * P9: Llama 3.1 8B by torchtitan on H100s, bf16 compute of fp32 parameters under {@code fully_shard}, AdamW, clipped
 * gradients, eager (torchao, prototype/float8nocompile/README.md; torchtitan,
 * benchmarks/llama3_h100_202412_torchtitan.md;
 * what both read is the log line with the most reserved memory of all ranks, in GiB).
 */
public final class Titan {
    private static final double MIB_PER_GIB = 1024;
    private static final int LAYERS = 32;

    private Titan() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        out.add(figure("no checkpoints", List.of(), 8, 1, 4096, 53.12, ""));
        out.add(figure("every 2nd layer checkpointed", layers(2), 8, 1, 4096, 40.6, "a nightly build of PyTorch"));
        out.add(figure("every layer checkpointed", layers(1), 8, 1, 4096, 28.07, "a nightly build of PyTorch"));
        out.add(selective("selective checkpoints, 8 GPUs", 8, 82.4));
        out.add(selective("selective checkpoints, 128 GPUs", 128, 67.0));
        return out;
    }

    /**
     * Checkpoints that keep the results of every second product, from the first on, and of attention: of wq, wv, w1 and
     * w2, the output of attention and the logarithms of its sums (torchtitan, parallelize_llama.py, _save_list).
     */
    private static Figure selective(String what, int world, double gib) {
        long rows = 2 * 8192;
        long kept = LAYERS * rows * (2 * (4096 + 1024 + 14_336 + 4096 + 4096) + 4 * 32);
        Figure whole =
                figure(what, layers(1), world, 2, 8192, gib, "what the policy keeps is added to whole checkpoints");
        return new Figure(
                whole.system(),
                whole.what(),
                whole.quantity(),
                false,
                whole.predicted() + kept / (double) (1 << 20),
                whole.published(),
                whole.mechanism());
    }

    private static List<String> layers(int every) {
        return IntStream.range(0, LAYERS)
                .filter(k -> (k + 1) % every == 0)
                .mapToObj(k -> "layers." + k)
                .toList();
    }

    private static Figure figure(
            String what, List<String> checkpoints, int world, long batch, long length, double gib, String mechanism) {
        Scenario run = Scenario.defaults()
                .with(BATCH, batch)
                .with(TORCH, TorchVersion.of("2.6"))
                .with(CLIP_GRAD_NORM, 1.0)
                .with(CHECKPOINT_MODULES, checkpoints)
                .with(PARALLEL, ParallelKind.FSDP2)
                .with(WORLD, world)
                .with(BUILD, Parallelism.Build.META)
                .with(PARAM_DTYPE, DType.BFLOAT16)
                .with(REDUCE_DTYPE, DType.FLOAT32);
        long reserved = Ranks.of(
                        new PredictionRequest(TitanDecoder.of8Billion(length).graph(), run))
                .peak()
                .reserved();
        return Figure.of("P9", what + ", max reserved", Quantity.RESERVED, reserved, gib * MIB_PER_GIB, mechanism);
    }

    public static void main(String[] arguments) {
        figures().forEach(f -> System.out.println(f.row()));
    }
}
