package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions with a filter of one point are products of matrices, and cuDNN has engines that hand them to cuBLASLt
 * (58 forward, 63 for the gradient of the input, 62 for that of the weight). They need a CUDA driver: a cuDNN that is
 * asked on a machine without one leaves them out, and names engines that copy to NHWC instead. On compute capability
 * 9.0 the engines with a driver are nearly always the first ones.
 *
 * <p>They work on the tensors where they lie. Of NCHW tensors the gradient of the weight is computed for each image,
 * in float32, and added up after. What cuBLASLt itself takes beside that is left out: nothing to 400 bytes for most
 * products, up to some MiB for gradients of the weight of NHWC tensors, whose sums it splits.
 *
 * <p>Measured on an H100 with cuDNN 9.19. Which problems go to these engines was learned from cuDNN 9.19 and 9.24, see
 * {@code fixtures/cudnn/README.md}; of other capabilities and older versions nothing is known.
 */
final class MatmulConvolutions {
    private static final int CAPABILITY = 90;
    private static final long LEAST_ALIGNMENT = 16;
    private static final long FLOAT = 4;

    /** Versions that trees were learned from, the oldest first. */
    private static final List<CudnnVersion> VERSIONS = List.of(new CudnnVersion(9, 19), new CudnnVersion(9, 24));

    /** By file: a tree for each direction, which tells products (1) from other plans (0). */
    private static final Map<String, List<DecisionTree>> READ = new ConcurrentHashMap<>();

    private final @Nullable CudnnVersion version;

    /** Of a run with a version of cuDNN. */
    MatmulConvolutions(CudnnVersion version) {
        this.version = VERSIONS.stream()
                .filter(known -> version.since(known.major(), known.minor()))
                .reduce((older, newer) -> newer)
                .orElse(null);
    }

    /** The answer where there is a driver, given the one of a cuDNN without. */
    WorkspaceAnswer of(ConvolutionProblem problem, CudnnDevice gpu, WorkspaceAnswer driverless) {
        return ConvolutionShape.of(problem)
                .filter(shape -> gpu.major() * 10 + gpu.minor() == CAPABILITY)
                .filter(shape -> isPoint(problem, shape) && isProduct(problem, shape))
                .map(shape -> bytes(problem.direction(), shape))
                .map(bytes -> WorkspaceAnswer.exact(WorkspaceLevel.DISTILLED, bytes, () -> Stream.concat(
                                Stream.of(bytes), driverless.all().get().stream())
                        .toList()))
                .orElse(driverless);
    }

    /** Whether the convolution is a product of its matrices as they lie. */
    private static boolean isPoint(ConvolutionProblem p, ConvolutionShape shape) {
        return shape.taps() == 1
                && shape.groups() == 1
                && p.stride().stream().allMatch(s -> s == 1)
                && p.padding().stream().allMatch(s -> s == 0)
                && p.alignment().stream().allMatch(a -> a >= LEAST_ALIGNMENT);
    }

    private boolean isProduct(ConvolutionProblem p, ConvolutionShape shape) {
        Optional<String> type = RuleBook.type(p.type());
        if (version == null || type.isEmpty()) {
            return false;
        }
        String file = version + "-" + type.get() + "-" + (p.channelsLast() ? "nhwc" : "nchw");
        return READ.computeIfAbsent(file, MatmulConvolutions::trees)
                        .get(p.direction().ordinal())
                        .outcome(ConvolutionFeatures.of(shape))
                == 1;
    }

    private static List<DecisionTree> trees(String file) {
        String name = "rules/matmul/" + CAPABILITY + "-" + file + ".gz";
        try (InputStream found = MatmulConvolutions.class.getResourceAsStream(name);
                DataInputStream in = new DataInputStream(new BufferedInputStream(new GZIPInputStream(found)))) {
            List<DecisionTree> out = new ArrayList<>();
            for (int i = 0; i < Direction.values().length; i++) {
                out.add(DecisionTree.read(in));
            }
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private static long bytes(Direction direction, ConvolutionShape q) {
        return direction == Direction.FILTER && !q.channelsLast() ? q.n() * q.k() * q.c() * FLOAT : 0;
    }
}
