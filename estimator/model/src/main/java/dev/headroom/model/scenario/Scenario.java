package dev.headroom.model.scenario;

import dev.headroom.model.graph.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is trained and how: the options of the modelled loop, with PyTorch's defaults. Mutable while it is put
 * together; a prediction takes it as it stands.
 */
public final class Scenario {
    /** Whether multi-tensor optimizer kernels are used. */
    public enum Foreach {
        AUTO,
        TRUE,
        FALSE
    }

    /** Which kernel of scaled dot product attention may run (with {@code MATH} as the last resort). */
    public enum Attention {
        AUTO,
        FLASH,
        EFFICIENT,
        CUDNN,
        MATH
    }

    /** Where the workspaces of cuDNN convolutions come from. */
    public enum Workspaces {
        /** An installed cuDNN, else rules, else bounds. */
        AUTO,
        /** An installed cuDNN alone. */
        ASKED,
        /** Rules learned from cuDNN's answers, else bounds, whatever is installed. */
        DISTILLED
    }

    /** Batch size, bound to the symbol of the inputs' first dimension; {@code null} when the graph has none. */
    public Long batch;

    /** Other symbols by name. */
    public Map<String, Long> dims = new LinkedHashMap<>();

    public OptimizerKind optimizer = OptimizerKind.ADAMW;
    public Foreach foreach = Foreach.AUTO;
    public boolean fused;

    /** What the optimizer's constructor is given besides. */
    public OptimizerOptions optimizerOptions = new OptimizerOptions();

    /** Type of parameters, buffers and inputs that are floating point; {@code null}: as in the graph. */
    public DType dtype;

    /** {@code model.cuda().half()}: the model is moved in its own types and converted on the device. */
    public boolean convertsOnDevice;

    /** Autocast type, or {@code null}; {@code FLOAT16} brings a GradScaler. */
    public DType amp;

    public LossKind loss = LossKind.AUTO;

    /** Segments of activation checkpointing, or 0 for none. */
    public int checkpoint;

    /**
     * Paths of modules of which every call is a checkpoint; {@code *} stands for a part of a name, {@code **} for more, and
     * {@code features.0..features.7} is one checkpoint over the siblings from the first to the last.
     */
    public List<String> checkpointModules = List.of();

    /**
     * Re-entrant checkpointing; {@code null}: as {@link #inputGrad} says for segments, not re-entrant for modules and for
     * the switches of libraries.
     */
    public Boolean reentrant;

    public int accumulate = 1;
    public int steps = 3;

    /** {@code zero_grad(set_to_none=False)}; in versions before 2.0 it is the default, and so always. */
    public boolean zeroGradKeep;

    /** Gradients are dropped between the loss and the backward pass, so that they live through the next forward pass. */
    public boolean zeroGradBeforeBackward;

    /** Each step brings a batch to the device, and the one before lives until then; else one batch serves all steps. */
    public boolean newBatches;

    public boolean channelsLast;
    public boolean cudnnBenchmark;

    /** Bytes of the workspace of every cuDNN convolution; {@code null}: as {@link #workspaces} says; 0: none. */
    public Long cudnnWorkspace;

    /** Who is asked for the workspaces of cuDNN convolutions. */
    public Workspaces workspaces = Workspaces.AUTO;

    public Attention attention = Attention.AUTO;

    /** The first floating-point input requires a gradient. */
    public boolean inputGrad;

    /** Outputs and loss are deleted after each backward pass. */
    public boolean dropOutputs;

    /** {@code eval()} under {@code no_grad}: forward passes only. */
    public boolean inference;

    /** In the syntax of {@code PYTORCH_CUDA_ALLOC_CONF}. */
    public String allocConf = "";

    /** PyTorch version whose behaviour is modelled. */
    public String torch = TorchVersion.NEWEST.toString();

    /** An independent run with the same options. */
    public Scenario copy() {
        Scenario copy = new Scenario();
        copy.batch = batch;
        copy.dims = new LinkedHashMap<>(dims);
        copy.optimizer = optimizer;
        copy.foreach = foreach;
        copy.fused = fused;
        copy.optimizerOptions = optimizerOptions.copy();
        copy.dtype = dtype;
        copy.amp = amp;
        copy.loss = loss;
        copy.checkpoint = checkpoint;
        copy.checkpointModules = List.copyOf(checkpointModules);
        copy.reentrant = reentrant;
        copy.accumulate = accumulate;
        copy.steps = steps;
        copy.zeroGradKeep = zeroGradKeep;
        copy.zeroGradBeforeBackward = zeroGradBeforeBackward;
        copy.newBatches = newBatches;
        copy.channelsLast = channelsLast;
        copy.cudnnBenchmark = cudnnBenchmark;
        copy.cudnnWorkspace = cudnnWorkspace;
        copy.workspaces = workspaces;
        copy.attention = attention;
        copy.inputGrad = inputGrad;
        copy.dropOutputs = dropOutputs;
        copy.convertsOnDevice = convertsOnDevice;
        copy.inference = inference;
        copy.allocConf = allocConf;
        copy.torch = torch;
        return copy;
    }
}
