package dev.headroom.model.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The optimizers: the one table of what users, reports and advice say of them. What each allocates is the estimator's
 * and the executor's business.
 */
public enum OptimizerKind {
    /** torch/optim/sgd.py; fused in 2.3.1, not in 2.2.2. */
    SGD(Facts.of("sgd", "torch.optim.SGD").fusedSince(2, 3)),
    /** The same with a momentum. */
    SGD_MOMENTUM(Facts.of("sgd-momentum", "torch.optim.SGD")
            .given("momentum=0.9")
            .fusedSince(2, 3)
            .keeps("momentum_buffer")),
    /** torch/optim/adam.py; fused in 1.13.1. */
    ADAM(Facts.of("adam", "torch.optim.Adam").fusedSince(1, 13).keeps("exp_avg", "exp_avg_sq")),
    /** torch/optim/adamw.py; fused in 2.0.1. */
    ADAMW(Facts.of("adamw", "torch.optim.AdamW").fusedSince(2, 0).keeps("exp_avg", "exp_avg_sq")),
    /** torch/optim/rmsprop.py. */
    RMSPROP(Facts.of("rmsprop", "torch.optim.RMSprop").keeps("square_avg")),
    /** torch/optim/adagrad.py; fused on CUDA in 2.14.1 (2.11.0 refuses CUDA tensors). */
    ADAGRAD(Facts.of("adagrad", "torch.optim.Adagrad").fusedSince(2, 14).keeps("sum")),
    /** torch/optim/_adafactor.py: in 2.5.1, not in 2.3.1; one parameter after the other unless told otherwise. */
    ADAFACTOR(Facts.of("adafactor", "torch.optim.Adafactor").since(2, 5).oneByOne()),
    /** torch/optim/nadam.py. */
    NADAM(Facts.of("nadam", "torch.optim.NAdam").keeps("exp_avg", "exp_avg_sq")),
    /** torch/optim/radam.py. */
    RADAM(Facts.of("radam", "torch.optim.RAdam").keeps("exp_avg", "exp_avg_sq")),
    /** torch/optim/adamax.py. */
    ADAMAX(Facts.of("adamax", "torch.optim.Adamax").keeps("exp_avg", "exp_inf")),
    /** torch/optim/adadelta.py. */
    ADADELTA(Facts.of("adadelta", "torch.optim.Adadelta").keeps("square_avg", "acc_delta")),
    /** torch/optim/asgd.py. */
    ASGD(Facts.of("asgd", "torch.optim.ASGD").keeps("step", "eta", "mu", "ax")),
    /** torch/optim/rprop.py, without a weight decay. */
    RPROP(Facts.of("rprop", "torch.optim.Rprop").keeps("prev", "step_size")),
    /** torch/optim/_muon.py: in 2.9.0; matrices alone. */
    MUON(Facts.of("muon", "torch.optim.Muon").since(2, 9).oneByOne().keeps("momentum_buffer")),
    /** torch/optim/sparse_adam.py; for sparse gradients alone, one parameter after the other. */
    SPARSE_ADAM(Facts.of("sparse-adam", "torch.optim.SparseAdam").oneByOne().keeps("exp_avg", "exp_avg_sq")),
    /** transformers/optimization.py, with the arguments that the Trainer gives it: no relative step, no scaling. */
    HF_ADAFACTOR(
            Facts.of("hf-adafactor", "transformers.Adafactor").given("scale_parameter=False, relative_step=False")),
    /** Of bitsandbytes, as all that follow until torchao's; their kernels work in place, tensor by tensor. */
    ADAM_8BIT(Facts.of("adam8bit", "bnb.optim.Adam8bit").quantises()),
    ADAMW_8BIT(Facts.of("adamw8bit", "bnb.optim.AdamW8bit").quantises()),
    ADAM_32BIT(Facts.of("adam32bit", "bnb.optim.Adam32bit")),
    ADAMW_32BIT(Facts.of("adamw32bit", "bnb.optim.AdamW32bit")),
    PAGED_ADAM_8BIT(Facts.of("paged-adam8bit", "bnb.optim.PagedAdam8bit").quantises()),
    PAGED_ADAMW_8BIT(Facts.of("paged-adamw8bit", "bnb.optim.PagedAdamW8bit").quantises()),
    PAGED_ADAM_32BIT(Facts.of("paged-adam32bit", "bnb.optim.PagedAdam32bit")),
    PAGED_ADAMW_32BIT(Facts.of("paged-adamw32bit", "bnb.optim.PagedAdamW32bit")),
    LION_8BIT(Facts.of("lion8bit", "bnb.optim.Lion8bit").quantises()),
    LION_32BIT(Facts.of("lion32bit", "bnb.optim.Lion32bit")),
    PAGED_LION_8BIT(Facts.of("paged-lion8bit", "bnb.optim.PagedLion8bit").quantises()),
    PAGED_LION_32BIT(Facts.of("paged-lion32bit", "bnb.optim.PagedLion32bit")),
    ADEMAMIX_8BIT(Facts.of("ademamix8bit", "bnb.optim.AdEMAMix8bit").quantises()),
    ADEMAMIX(Facts.of("ademamix", "bnb.optim.AdEMAMix")),
    ADEMAMIX_32BIT(Facts.of("ademamix32bit", "bnb.optim.AdEMAMix32bit")),
    PAGED_ADEMAMIX_8BIT(
            Facts.of("paged-ademamix8bit", "bnb.optim.PagedAdEMAMix8bit").quantises()),
    PAGED_ADEMAMIX(Facts.of("paged-ademamix", "bnb.optim.PagedAdEMAMix")),
    PAGED_ADEMAMIX_32BIT(Facts.of("paged-ademamix32bit", "bnb.optim.PagedAdEMAMix32bit")),
    SGD_8BIT(Facts.of("sgd8bit", "bnb.optim.SGD8bit").given("momentum=0.9").quantises()),
    SGD_32BIT(Facts.of("sgd32bit", "bnb.optim.SGD32bit").given("momentum=0.9")),
    ADAGRAD_8BIT(Facts.of("adagrad8bit", "bnb.optim.Adagrad8bit").quantises()),
    ADAGRAD_32BIT(Facts.of("adagrad32bit", "bnb.optim.Adagrad32bit")),
    RMSPROP_8BIT(Facts.of("rmsprop8bit", "bnb.optim.RMSprop8bit").quantises()),
    RMSPROP_32BIT(Facts.of("rmsprop32bit", "bnb.optim.RMSprop32bit")),
    LARS_32BIT(Facts.of("lars32bit", "bnb.optim.LARS32bit").given("momentum=0.9")),
    LAMB_32BIT(Facts.of("lamb32bit", "bnb.optim.LAMB32bit")),
    /** Of torchao, as all that follow; compiled by Inductor. */
    AO_ADAM_8BIT(Facts.of("ao-adam8bit", "torchao.optim.Adam8bit").quantises()),
    AO_ADAM_4BIT(Facts.of("ao-adam4bit", "torchao.optim.Adam4bit").quantises()),
    AO_ADAM_FP8(Facts.of("ao-adamfp8", "torchao.optim.AdamFp8").quantises()),
    AO_ADAMW_8BIT(Facts.of("ao-adamw8bit", "torchao.optim.AdamW8bit").quantises()),
    AO_ADAMW_4BIT(Facts.of("ao-adamw4bit", "torchao.optim.AdamW4bit").quantises()),
    AO_ADAMW_FP8(Facts.of("ao-adamwfp8", "torchao.optim.AdamWFp8").quantises()),
    /** Of galore_torch 1.0: the moments of some linear layers' gradients, projected on their singular vectors. */
    GALORE_ADAMW(Facts.of("galore-adamw", "galore_torch.GaLoreAdamW").projects()),
    GALORE_ADAMW_8BIT(Facts.of("galore-adamw8bit", "galore_torch.GaLoreAdamW8bit")
            .projects()
            .quantises()),
    GALORE_ADAFACTOR(Facts.of("galore-adafactor", "galore_torch.GaLoreAdafactor")
            .given("scale_parameter=False, relative_step=False")
            .projects()),
    /** Of apollo_torch 1.0: moments of random projections, which scale the gradients themselves. */
    APOLLO_ADAMW(Facts.of("apollo-adamw", "apollo_torch.APOLLOAdamW").projects()),
    /** Of schedulefree 1.4. */
    SCHEDULE_FREE_ADAMW(
            Facts.of("schedule-free-adamw", "schedulefree.AdamWScheduleFree").keeps("z", "exp_avg_sq")),
    SCHEDULE_FREE_RADAM(
            Facts.of("schedule-free-radam", "schedulefree.RAdamScheduleFree").keeps("z", "exp_avg_sq")),
    SCHEDULE_FREE_SGD(
            Facts.of("schedule-free-sgd", "schedulefree.SGDScheduleFree").keeps("z")),
    /** Of torch-optimi 0.3, with its Triton kernels; a compensation for the rounding of half precision. */
    STABLE_ADAMW(Facts.of("stable-adamw", "optimi.StableAdamW").keeps("exp_avg", "exp_avg_sq")),
    /** Of lomo_optim 0.1: they step in the backward pass, and keep no gradients. */
    LOMO(Facts.of("lomo", "lomo_optim.Lomo")),
    ADALOMO(Facts.of("adalomo", "lomo_optim.AdaLomo")),
    /** Of grokadamw 0.1: its state lives in host memory and comes to the device for each parameter. */
    GROKADAMW(Facts.of("grokadamw", "grokadamw.GrokAdamW")),
    /** Gradients are made and never used. */
    NONE(Facts.of("none", ""));

    /**
     * A row of the table.
     *
     * @param option its name for users
     * @param constructor what a program calls
     * @param argument that the constructor is given beside the learning rate, or ""
     * @param since the first version that has it
     * @param fusedSince the first version whose constructor takes {@code fused=True} for CUDA parameters; {@code null}:
     *     none
     * @param foreachByDefault whether it takes lists of tensors by itself, where the version does so at all
     * @param quantised whether its state is
     * @param projected whether it steps low-rank projections of some parameters' gradients
     * @param state what the state's tensors are called that every parameter has (the {@code _init_group} methods);
     *     empty where they differ
     */
    private record Facts(
            String option,
            String constructor,
            String argument,
            TorchVersion since,
            @Nullable TorchVersion fusedSince,
            boolean foreachByDefault,
            boolean quantised,
            boolean projected,
            List<String> state) {
        static Facts of(String option, String constructor) {
            return new Facts(option, constructor, "", TorchVersion.OLDEST, null, true, false, false, List.of());
        }

        Facts given(String text) {
            return new Facts(
                    option, constructor, text, since, fusedSince, foreachByDefault, quantised, projected, state);
        }

        Facts since(int major, int minor) {
            TorchVersion first = new TorchVersion(major, minor);
            return new Facts(
                    option, constructor, argument, first, fusedSince, foreachByDefault, quantised, projected, state);
        }

        Facts fusedSince(int major, int minor) {
            TorchVersion first = new TorchVersion(major, minor);
            return new Facts(
                    option, constructor, argument, since, first, foreachByDefault, quantised, projected, state);
        }

        Facts oneByOne() {
            return new Facts(option, constructor, argument, since, fusedSince, false, quantised, projected, state);
        }

        Facts quantises() {
            return new Facts(option, constructor, argument, since, fusedSince, false, true, projected, state);
        }

        Facts projects() {
            return new Facts(
                    option, constructor, argument, since, fusedSince, foreachByDefault, quantised, true, state);
        }

        Facts keeps(String... names) {
            return new Facts(
                    option,
                    constructor,
                    argument,
                    since,
                    fusedSince,
                    foreachByDefault,
                    quantised,
                    projected,
                    List.of(names));
        }
    }

    private final Facts facts;

    OptimizerKind(Facts facts) {
        this.facts = facts;
    }

    /** The optimizer of a name, such as {@code sgd-momentum}. */
    public static Optional<OptimizerKind> named(String option) {
        return Arrays.stream(values()).filter(k -> k.option().equals(option)).findFirst();
    }

    /** The name for users. */
    public String option() {
        return facts.option;
    }

    /** What a program calls to make one, such as {@code torch.optim.SGD}. */
    public String constructor() {
        return facts.constructor;
    }

    /** What the constructor is given beside the learning rate, or "". */
    public String argument() {
        return facts.argument;
    }

    /** The first version of PyTorch that has it. */
    public TorchVersion since() {
        return facts.since;
    }

    /** Whether its constructor takes a weight decay. */
    public boolean decays() {
        return this != NONE && this != RPROP;
    }

    /** The names of those that have fused kernels in some version. */
    public static List<String> withFused() {
        return Arrays.stream(values())
                .filter(OptimizerKind::fuses)
                .map(OptimizerKind::option)
                .toList();
    }

    /** Whether its constructor takes {@code fused=True} for CUDA parameters in some version. */
    public boolean fuses() {
        return facts.fusedSince != null;
    }

    /** Whether its constructor takes {@code fused=True} for CUDA parameters in a version. */
    public boolean fusesIn(TorchVersion torch) {
        return facts.fusedSince != null && torch.compareTo(facts.fusedSince) >= 0;
    }

    /**
     * Whether it takes lists of tensors by itself ({@code _default_to_fused_or_foreach}), where the version does so at
     * all.
     */
    public boolean foreachByDefault() {
        return facts.foreachByDefault;
    }

    /** Whether it is PyTorch's own. */
    public boolean isOfTorch() {
        return facts.constructor.startsWith("torch.");
    }

    /** What a program imports for it beside torch, or "". */
    public String module() {
        String library = facts.constructor.substring(0, Math.max(0, facts.constructor.indexOf('.')));
        return switch (library) {
            case "bnb" -> "import bitsandbytes as bnb";
            case "", "torch" -> "";
            case "torchao" -> "import torchao.optim";
            default -> "import " + library;
        };
    }

    /** Whether its state is quantised. */
    public boolean quantised() {
        return facts.quantised;
    }

    /** Whether it steps low-rank projections of the gradients of some linear layers. */
    public boolean projects() {
        return facts.projected;
    }

    /** What the state's tensors of every parameter are called; empty where they differ from one to the other. */
    public List<String> state() {
        return facts.state;
    }

    /** {@code sgd, adam or none.} */
    static String help() {
        String names = Arrays.stream(values())
                .filter(kind -> kind != NONE)
                .map(kind -> kind.option() + (kind == ADAMW ? " (default)" : ""))
                .collect(Collectors.joining(", "));
        return names + " or " + NONE.option()
                + "; also what optim= of TrainingArguments takes, such as paged_adamw_8bit.";
    }
}
