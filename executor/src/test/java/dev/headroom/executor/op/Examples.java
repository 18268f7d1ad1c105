package dev.headroom.executor.op;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * At least one example of every operator. Whoever adds an operator adds an example to its family's file, or its name to
 * {@link #WITHOUT_GRADIENT}.
 */
final class Examples {
    /** Operators whose results have no gradient. */
    static final Set<String> WITHOUT_GRADIENT = Stream.of(
                    // the operand without its history
                    "detach detach_ _assert_tensor_metadata",
                    // fresh tensors
                    "rand rand_like randn randn_like linspace eye one_hot argsort",
                    "arange empty empty_like full full_like new_empty new_full new_ones new_zeros ones ones_like",
                    "scalar_tensor zeros zeros_like bernoulli_",
                    // truth values and whole numbers
                    "greater greater_equal less less_equal not_equal",
                    "eq ge gt le lt ne logical_and logical_not logical_or logical_xor",
                    "floor_divide __and__ __or__ __xor__ bitwise_and bitwise_not bitwise_or bitwise_xor",
                    // truths of a whole
                    "all any argmax argmin histc isin bincount",
                    "isnan isinf isfinite isposinf isneginf signbit heaviside bitwise_left_shift bitwise_right_shift",
                    "randint randint_like bernoulli randperm multinomial normal",
                    "hann_window hamming_window bartlett_window blackman_window kaiser_window",
                    "logspace fft_fftfreq fft_rfftfreq",
                    // its result is its operand
                    "requires_grad_",
                    // counts and places
                    "count_nonzero searchsorted bucketize tril_indices triu_indices",
                    "uniform random cauchy exponential geometric log_normal normal_functional poisson",
                    "isclose isreal _assert_async _assert_scalar sym_constrain_range_for_size",
                    // whose memory alone is measured
                    "embedding_renorm_",
                    "linalg_cholesky cholesky cholesky_inverse linalg_matrix_exp matrix_exp linalg_pinv pinverse",
                    "linalg_matrix_sqrth linalg_cholesky_ex linalg_solve_triangular linalg_lu_solve cholesky_solve",
                    "linalg_eigh linalg_eigvalsh linalg_svdvals linalg_qr linalg_svd svd linalg_lu_factor",
                    "gcd gcd_ lcm lcm_ __lshift__ __rshift__",
                    // nothing
                    "torchvision._cuda_version python.use",
                    // frozen weights; and integers, whose steps no finite difference sees
                    "bitsandbytes.dequantize_4bit bitsandbytes.int8_vectorwise_dequant bitsandbytes.linear_8bit_lt")
            .flatMap(names -> Stream.of(names.split(" ")))
            .map(name -> name.indexOf('.') < 0 ? "aten." + name : name)
            .collect(Collectors.toUnmodifiableSet());

    private final List<Example> all = new ArrayList<>();

    private Examples() {
        ElementwiseExamples.add(this);
        ViewExamples.add(this);
        MatrixExamples.add(this);
        ReductionExamples.add(this);
        SelectingExamples.add(this);
        ConvolutionExamples.add(this);
        NormalizationExamples.add(this);
        JoiningExamples.add(this);
        SelectionExamples.add(this);
        AttentionExamples.add(this);
        LossExamples.add(this);
        RecurrentExamples.add(this);
        BroadExamples.add(this);
        FurtherExamples.add(this);
        VolumeExamples.add(this);
        ScanExamples.add(this);
        StackExamples.add(this);
        PlaceExamples.add(this);
        SetExamples.add(this);
        RareExamples.add(this);
        ComplexExamples.add(this);
        FormExamples.add(this);
    }

    /** All of them. */
    static List<Example> all() {
        return new Examples().all;
    }

    /** Begins an example, whose arguments are to be added in the schema's order. */
    Example of(String operator) {
        Example e = new Example(operator);
        all.add(e);
        return e;
    }
}
