package dev.headroom.model.scenario;

import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.error.UserInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of PyTorch and what was different in it. Differences are those that can be cited: Python sources of the
 * releases named in the comments, pull requests with the first release after their merge, and reports.
 */
public record TorchVersion(int major, int minor) implements Comparable<TorchVersion> {
    /** The oldest version that is modelled: the first stable one. */
    public static final TorchVersion OLDEST = new TorchVersion(1, 0);

    /** The newest version that is modelled. */
    public static final TorchVersion NEWEST = new TorchVersion(2, 14);

    private static final Pattern TEXT =
            Pattern.compile("([0-9]{1,3})\\.([0-9]{1,3})(\\.[0-9]{1,3})?(\\+[A-Za-z0-9.]+)?");

    /** How cuBLASLt, which adds biases, gets its workspace. */
    public enum LtWorkspace {
        /** It is not used, or given no workspace. */
        NONE,
        /** Taken before every product and given back after it. */
        PER_CALL,
        /** One for each handle and stream, beside cuBLAS's own. */
        KEPT,
        /** It has cuBLAS's. */
        SHARED
    }

    /**
     * Reads a version.
     *
     * @param text such as "2.6", "2.14.1" or "2.6.0+cu124"
     * @throws UserInputException when it is none, or none that is modelled
     */
    public static TorchVersion of(String text) {
        try {
            return read(text);
        } catch (BadValue e) {
            throw new UserInputException(e.line("`torch`"), e);
        }
    }

    static TorchVersion read(String text) {
        Matcher m = TEXT.matcher(text.strip());
        if (!m.matches()) {
            throw new BadValue("'" + text + "' is not a version; write it like " + NEWEST);
        }
        TorchVersion version = new TorchVersion(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
        if (version.compareTo(OLDEST) < 0 || version.compareTo(NEWEST) > 0) {
            throw new BadValue(version + " is not modelled; name a version from " + OLDEST + " to " + NEWEST);
        }
        return version;
    }

    /** Whether this is the given version or a later one. */
    public boolean since(int thatMajor, int thatMinor) {
        return compareTo(new TorchVersion(thatMajor, thatMinor)) >= 0;
    }

    /** {@code zero_grad()} drops gradients: the default of torch/optim/optimizer.py in 2.0.1, not yet in 1.13.1. */
    public boolean zeroGradSetsToNone() {
        return since(2, 0);
    }

    /** Optimizers take lists on CUDA by themselves: {@code _default_to_fused_or_foreach}, in 2.0.1, not in 1.13.1. */
    public boolean foreachByDefault() {
        return since(2, 0);
    }

    /** Optimizers have the argument {@code foreach}: in 1.12.1 (torch/optim/adam.py), not in 1.8.1. */
    public boolean foreachArgument() {
        return since(1, 12);
    }

    /**
     * Foreach steps of Adam and Adagrad add {@code eps} to their roots in place, and Adagrad divides in place: in 2.1.2
     * (torch/optim/adam.py, adagrad.py); 2.0.1 makes further lists of the parameters' size.
     */
    public boolean foreachRootsInPlace() {
        return since(2, 1);
    }

    /**
     * CUDA loads kernels when they are first used: {@code CUDA_MODULE_LOADING} is set to {@code LAZY} unless the user
     * set it (pull request 86509 of October 2022, first release 1.13).
     */
    public boolean loadsKernelsLazily() {
        return since(1, 13);
    }

    /**
     * {@code relu()} keeps its result for the backward pass, which the next layer mostly keeps, too: pull request 63089
     * of August 2021, whose first release is 1.10. Before, it keeps its input (tools/autograd/derivatives.yaml).
     */
    public boolean reluKeepsResult() {
        return since(1, 10);
    }

    /**
     * Reductions read several elements at once: pull requests 36709 and 37206 of April and May 2020, whose first
     * release is 1.6 (aten/src/ATen/native/cuda/Reduce.cuh).
     */
    public boolean vectorizedReductions() {
        return since(1, 6);
    }

    /**
     * Whether {@code linear()} multiplies a contiguous input of more than two dimensions as a matrix and adds the bias
     * in the same call: for three dimensions since pull request 72728 of February 2022 (1.12), for more since 106433 of
     * August 2023 (2.1). Before, the bias is added in place to what {@code matmul()} made, so that its gradient is
     * summed before there is one of the input (aten/src/ATen/native/Linear.cpp; torch/nn/functional.py until 1.8).
     *
     * @param input number of the input's dimensions
     * @param bias number of the bias's dimensions
     */
    public boolean flattensLinear(int input, int bias) {
        return input == 3 && since(1, 12) || input > 3 && bias == 1 && since(2, 1);
    }

    /**
     * The fused cells of GRU and LSTM keep their gates, too, so that they can be differentiated twice: pull request
     * 26660 of September 2019, whose first release is 1.4 (tools/autograd/derivatives.yaml, _thnn_fused_gru_cell).
     */
    public boolean cellsKeepGates() {
        return since(1, 4);
    }

    /**
     * cuBLAS works in memory of the caching allocator, kept for each handle and stream: not in 1.13 (pytorch#95668). To
     * allocate around each call instead (pull request 194311 of August 2026) is not in 2.14.1: its recordings show one
     * workspace a thread, never freed.
     */
    public boolean keepsBlasWorkspace() {
        return since(2, 0);
    }

    /**
     * Bytes of cuBLAS's workspace: 32 MiB on Hopper, else {@code :4096:2:16:8} (pull request 91564); on later GPUs 32
     * MiB since pull request 175344 of February 2026, whose first release is 2.12
     * (aten/src/ATen/cuda/CublasHandlePool.cpp, parseChosenWorkspaceSize).
     *
     * @param computeMajor of the GPU's compute capability
     */
    public long blasWorkspaceBytes(int computeMajor) {
        boolean large = since(2, 12) ? computeMajor >= 9 : computeMajor == 9;
        return large ? 4096 * 8 * 1024L : 2 * 4096 * 1024L + 8 * 16 * 1024L;
    }

    /**
     * 1 MiB a call since pull request 73439 of February 2022 (1.12); kept since pull request 156495 (in the headers of
     * 2.9.0, not of 2.8.0); shared with cuBLAS since pull request 168175 of January 2026: in recordings of 2.12.0, not
     * of 2.11.0.
     */
    public LtWorkspace ltWorkspace() {
        if (since(2, 12)) {
            return LtWorkspace.SHARED;
        }
        if (since(2, 9)) {
            return LtWorkspace.KEPT;
        }
        return since(1, 12) ? LtWorkspace.PER_CALL : LtWorkspace.NONE;
    }

    /**
     * The version of cuDNN that PyTorch's packages for Linux require (their metadata; before 2.5
     * .github/scripts/generate_binary_build_matrix.py of the releases).
     */
    public CudnnVersion cudnn() {
        if (since(2, 14)) {
            return CudnnVersion.NEWEST;
        }
        if (since(2, 11)) {
            return new CudnnVersion(9, since(2, 12) ? 20 : 19);
        }
        if (since(2, 7)) {
            return new CudnnVersion(9, since(2, 8) ? 10 : 5);
        }
        return since(2, 4) ? new CudnnVersion(9, 1) : new CudnnVersion(8, since(2, 1) ? 9 : 3);
    }

    /**
     * Group normalisation makes its contiguous copy inside of the operator, keeps the input as it was given, and has
     * its statistics in float32 beside those of half types (ATen/native/cuda/group_norm_kernel.cu): in 2.14.1, not in
     * 2.13.0. Before, a copy that is made first is what is kept, and there are sums for single pixels, too.
     */
    public boolean groupNormTakesAnyLayout() {
        return since(2, 14);
    }

    /**
     * Sorts of an embedding's indices look only at the bits that rows have (ATen/native/cuda/Embedding.cu): in 2.13.0,
     * not in 2.12.0, which sort by all bits.
     */
    public boolean sortsFewBits() {
        return since(2, 13);
    }

    /**
     * {@code histc} finds the smallest and the largest element at once, by {@code aminmax}
     * (ATen/native/cuda/SummaryOps.cu): in 2.12.0; in 2.11.0 one after the other.
     */
    public boolean histogramReadsBothEnds() {
        return since(2, 12);
    }

    /**
     * The same of weights that {@code multinomial} draws by (ATen/native/Distributions.cpp): in 2.14.1, not in 2.11.0;
     * nobody has looked between.
     */
    public boolean multinomialReadsBothEnds() {
        return since(2, 12);
    }

    /** The same of indices that {@code index_put} checks (ATen/native/cuda/Indexing.cu): in 2.14.1, not in 2.12.0. */
    public boolean indexReadsBothEnds() {
        return since(2, 13);
    }

    /**
     * Memory-efficient attention without dropout has a seed and an offset of zero on the device
     * (ATen/native/transformers/cuda/attention.cu): in 2.14.1, not in 2.13.0.
     */
    public boolean efficientStateOnDevice() {
        return since(2, 14);
    }

    /** Batches of outer products have a kernel of their own (ATen/native/cuda/Blas.cpp): in 2.13.0, not in 2.12.0. */
    public boolean multipliesOuterProducts() {
        return since(2, 13);
    }

    /**
     * Gradients of {@code maximum} and {@code minimum} mask what they made in place, and those of {@code fmax}, {@code
     * fmin} and {@code clamp} by tensors halve ties as well (tools/autograd/derivatives.yaml, and clamp_backward of
     * FunctionsManual.cpp): in 2.14.1, not in 2.13.0.
     */
    public boolean splitsTies() {
        return since(2, 14);
    }

    /**
     * cuDNN's attention is not taken where the probability of dropout is no multiple of 1/16: pull request 174245 of
     * February 2026, whose first release is 2.12 (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).
     */
    public boolean cudnnDropsSixteenths() {
        return since(2, 12);
    }

    /**
     * cuDNN's attention is not taken where it has no backward pass for the size of the heads (sdp_utils.cpp,
     * check_cudnn_d256_bprop_head_dim): in 2.14.1, not in 2.12.0.
     */
    public boolean cudnnChecksGradients() {
        return since(2, 13);
    }

    /**
     * cuDNN's attention is not taken for single queries where cuDNN computes them wrongly ({@link
     * CudnnVersion#decodesWrongly}): pull request 194927 of August 2026 (sdp_utils.cpp,
     * is_cudnn_attention_decode_disabled), in 2.14.1.
     */
    public boolean cudnnChecksDecoding() {
        return since(2, 14);
    }

    /**
     * Memory-efficient attention takes fewer heads of keys and values than of queries, and every fused kernel takes a
     * single one without {@code enable_gqa}: pull request 191085 of July 2026, whose first release is 2.14. Before, the
     * plain operators compute such attention where no other fused kernel does.
     */
    public boolean spreadsHeads() {
        return since(2, 14);
    }

    /**
     * Whether a batch of matrices becomes one matrix whatever the stride of a dimension of size 1 (LinearAlgebra.cpp,
     * should_fold): pull request 186178 of June 2026. 2.14.1 does; 2.13 has not been looked at.
     */
    public boolean foldsPastSingleRows() {
        return since(2, 14);
    }

    /**
     * A compiled backward pass gets the gradients of its results in a list, of which the generated code lets go ({@code
     * boxed_grads_call} of torch/autograd/function.py): pull request 177837 of March 2026, in 2.13.0, not in 2.12.0.
     * Before, autograd keeps them until the pass returns.
     */
    public boolean handsOverGradients() {
        return since(2, 13);
    }

    /**
     * Bytes of the buffer that Inductor overwrites between runs of a kernel that it times: as large as the card's L2
     * cache since 2.7 (torch/_inductor/runtime/benchmarking.py), before as Triton has it ({@code do_bench}), 256 MiB in
     * Triton 3.2 and 256 MB until then.
     */
    public long benchmarkBytes(long l2) {
        return since(2, 7) ? l2 : since(2, 6) ? 256L << 20 : 256_000_000;
    }

    /**
     * Whether Inductor copies what a kernel writes over to the host while it tunes the kernel, where a copy on the
     * device would be a new peak: {@code copy_args_to_cpu_if_needed} of torch/_inductor/runtime/triton_heuristics.py.
     */
    public boolean tunesBelowPeak() {
        return since(2, 6);
    }

    /**
     * The version whose allocator behaves alike. From 1.1, when segments became multiples of 2 MiB (pull request 17120
     * of February 2019), until 2.1, when expandable segments came, what is asked for without settings is placed alike:
     * best fit by stream, size and address (c10/cuda/CUDACachingAllocator.cpp).
     */
    public String allocator() {
        if (!since(1, 1)) {
            return toString();
        }
        return (since(2, 1) ? this : new TorchVersion(2, 1)).toString();
    }

    /** Whether the settings of {@code PYTORCH_CUDA_ALLOC_CONF} are modelled. */
    public boolean allocatorSettings() {
        return since(2, 1);
    }

    @Override
    public int compareTo(TorchVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
