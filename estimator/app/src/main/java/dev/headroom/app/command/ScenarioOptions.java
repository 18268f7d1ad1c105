package dev.headroom.app.command;

import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DIMS;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptionNames;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What is trained and how: the options, turned into a {@link Scenario}. */
public final class ScenarioOptions {
    private static final int MOST_STEPS = 1_000;
    private static final int MOST_PASSES = 100_000;

    @Option(names = "--batch", paramLabel = "N", description = "Batch size; binds the symbolic batch dimension.")
    String batch;

    @Option(names = "--dim", paramLabel = "NAME=N", description = "Binds another symbolic dimension; repeatable.")
    List<String> dims = new ArrayList<>();

    @Option(
            names = "--optimizer",
            completionCandidates = Candidates.Optimizers.class,
            paramLabel = "NAME",
            description =
                    "sgd, sgd-momentum, adam, adamw (default), rmsprop, adagrad, adafactor, adam8bit, adamw8bit or"
                            + " none.")
    String optimizer;

    @Option(
            names = "--foreach",
            completionCandidates = Candidates.Foreach.class,
            paramLabel = "WHEN",
            description = "Multi-tensor optimizer: auto, true or false.")
    String foreach;

    @Option(names = "--fused", description = "Fused optimizer kernels.")
    boolean fused;

    @Option(
            names = "--dtype",
            completionCandidates = Candidates.Types.class,
            paramLabel = "TYPE",
            description = "Parameters and inputs: fp32, fp16 or bf16.")
    String dtype;

    @Option(
            names = "--amp",
            completionCandidates = Candidates.AutocastTypes.class,
            paramLabel = "TYPE",
            description = "Autocast: fp16 (with a GradScaler) or bf16.")
    String amp;

    @Option(
            names = "--loss",
            completionCandidates = Candidates.Losses.class,
            paramLabel = "KIND",
            description = "cross-entropy, mse, sum or output (default: output when the model returns a scalar first).")
    String loss;

    @Option(names = "--checkpoint", paramLabel = "SEGMENTS", description = "Recompute activations in backward.")
    String checkpoint;

    @Option(
            names = "--checkpoint-modules",
            paramLabel = "PATTERN",
            description =
                    "Recompute every call of these modules: * is part of a name, ** any path, FIRST..LAST a run of"
                            + " siblings as one checkpoint; repeatable.")
    List<String> checkpointModules = new ArrayList<>();

    @Option(
            names = "--reentrant",
            completionCandidates = Candidates.Booleans.class,
            paramLabel = "BOOL",
            description = "Variant of checkpointing: true or false.")
    String reentrant;

    @Option(names = "--accumulate", paramLabel = "K", description = "Forward and backward passes a step.")
    String accumulate;

    @Option(names = "--steps", paramLabel = "N", description = "Training steps to play (default 3).")
    String steps;

    @Option(names = "--zero-grad-keep", description = "zero_grad(set_to_none=False).")
    boolean zeroGradKeep;

    @Option(names = "--channels-last", description = "Model and images in torch.channels_last.")
    boolean channelsLast;

    @Option(names = "--cudnn-benchmark", description = "torch.backends.cudnn.benchmark = True.")
    boolean cudnnBenchmark;

    @Option(
            names = "--cudnn-workspace",
            completionCandidates = Candidates.Workspaces.class,
            paramLabel = "SIZE",
            description =
                    "Workspace of cuDNN convolutions: auto (default), asked (of an installed cuDNN), distilled (by"
                            + " learned rules), none or a size.")
    String cudnnWorkspace;

    @Option(
            names = "--attention",
            completionCandidates = Candidates.Attentions.class,
            paramLabel = "KIND",
            description = "auto, flash, efficient, cudnn or math.")
    String attention;

    @Option(names = "--input-grad", description = "The first floating-point input requires a gradient.")
    boolean inputGrad;

    @Option(names = "--drop-outputs", description = "Outputs and loss are deleted after each backward pass.")
    boolean dropOutputs;

    @Option(names = "--inference", description = "eval() under no_grad: forward passes only.")
    boolean inference;

    @Option(names = "--alloc-conf", paramLabel = "STR", description = "In the syntax of PYTORCH_CUDA_ALLOC_CONF.")
    String allocConf;

    @Option(names = "--torch", paramLabel = "VERSION", description = "PyTorch version to model (default the newest).")
    String torch;

    /**
     * The run that the options describe.
     *
     * @throws dev.headroom.model.error.UserInputException for a value or a combination that cannot be
     */
    public Scenario toRun() {
        ScenarioBuilder run = Scenario.builder();
        if (batch != null) {
            run.batch(WholeNumbers.parse("--batch", batch, 1, Long.MAX_VALUE));
        }
        run.set(DIMS, sizes());
        if (optimizer != null) {
            run.optimizer(Choice.of("--optimizer", optimizer, OptimizerKind.values(), OptimizerKind::option));
        }
        if (foreach != null) {
            run.foreach(Choice.of("--foreach", foreach, Scenario.Foreach.values(), OptionNames::of));
        }
        run.fused(fused);
        run.dtype(floating("--dtype", dtype, DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16));
        run.amp(floating("--amp", amp, DType.FLOAT16, DType.BFLOAT16));
        if (loss != null) {
            LossKind[] kinds = {LossKind.CROSS_ENTROPY, LossKind.MSE, LossKind.SUM, LossKind.OUTPUT};
            run.loss(Choice.of("--loss", loss, kinds, OptionNames::of));
        }
        if (checkpoint != null && !checkpoint.equals("none")) {
            run.checkpoint((int) WholeNumbers.parse("--checkpoint", checkpoint, 1, 1_000_000));
        }
        run.set(CHECKPOINT_MODULES, checkpointModules);
        if (reentrant != null && !reentrant.equals("auto")) {
            run.reentrant(Choice.of("--reentrant", reentrant, new Boolean[] {true, false}, Object::toString));
        }
        if (accumulate != null) {
            run.accumulate((int) WholeNumbers.parse("--accumulate", accumulate, 1, MOST_PASSES));
        }
        if (steps != null) {
            run.steps((int) WholeNumbers.parse("--steps", steps, 1, MOST_STEPS));
        }
        run.zeroGradKeep(zeroGradKeep);
        run.channelsLast(channelsLast);
        run.cudnnBenchmark(cudnnBenchmark);
        run.set(CUDNN_WORKSPACE, workspace());
        if (attention != null) {
            run.attention(Choice.of("--attention", attention, Scenario.Attention.values(), OptionNames::of));
        }
        run.inputGrad(inputGrad);
        run.dropOutputs(dropOutputs);
        run.inference(inference);
        run.allocConf(settings());
        if (torch != null) {
            run.torch(torch);
        }
        Combinations.check(run.build());
        return run.build();
    }

    /** What was asked for and cannot have an effect, one line each. */
    public List<String> withoutEffect(Scenario run) {
        List<String> lines = new ArrayList<>();
        Checkpointing checkpointing = run.checkpointing();
        if (checkpointing.reentrant() != null && !checkpointing.any()) {
            lines.add("--reentrant has no effect without --checkpoint");
        }
        if (run.loop().inference()) {
            note(lines, optimizer != null && run.optimizer().kind() != OptimizerKind.NONE, "--optimizer");
            note(lines, fused, "--fused");
            note(lines, loss != null, "--loss");
            note(lines, run.loop().accumulate() > 1, "--accumulate");
            note(lines, zeroGradKeep, "--zero-grad-keep");
            note(lines, checkpointing.segments() > 0, "--checkpoint");
            note(lines, !checkpointing.modules().isEmpty(), "--checkpoint-modules");
        }
        return lines;
    }

    private static void note(List<String> lines, boolean given, String option) {
        if (given) {
            lines.add(option + " has no effect with --inference");
        }
    }

    private Map<String, Long> sizes() {
        Map<String, Long> sizes = new LinkedHashMap<>();
        for (String text : dims) {
            int at = text.indexOf('=');
            String name = at < 0 ? "" : text.substring(0, at).strip();
            if (name.isEmpty()) {
                throw new BadOption("--dim: '" + text + "' is not NAME=N; write it like --dim seq=512");
            }
            long size = WholeNumbers.parse("--dim " + name, text.substring(at + 1), 1, Long.MAX_VALUE);
            if (sizes.put(name, size) != null) {
                throw new BadOption("--dim " + name + ": given twice");
            }
        }
        return sizes;
    }

    private static DType floating(String option, String text, DType... types) {
        return text == null ? null : Choice.of(option, text, types, OptionNames::of);
    }

    private CudnnWorkspace workspace() {
        if (cudnnWorkspace == null) {
            return CudnnWorkspace.AUTO;
        }
        return Arrays.stream(Scenario.Workspaces.values())
                .filter(value -> OptionNames.of(value).equals(cudnnWorkspace))
                .findFirst()
                .map(CudnnWorkspace::from)
                .orElseGet(() -> cudnnWorkspace.equals("none")
                        ? CudnnWorkspace.NONE
                        : CudnnWorkspace.of(Sizes.parse("--cudnn-workspace", cudnnWorkspace)));
    }

    private String settings() {
        if (allocConf == null) {
            return "";
        }
        try {
            AllocatorSettings.parse(allocConf);
        } catch (IllegalArgumentException e) {
            throw new BadOption("--alloc-conf: " + e.getMessage());
        }
        return allocConf;
    }
}
