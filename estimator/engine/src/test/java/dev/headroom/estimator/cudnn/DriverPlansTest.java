package dev.headroom.estimator.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workspaces that an H100 and an H200 were seen to take with cuDNN 9.19. */
class DriverPlansTest {
    private static final CudnnDevice HOPPER = new CudnnDevice(9, 0, 132);
    private static final CudnnVersion VERSION = new CudnnVersion(9, 19);

    private static long answer(CudnnDevice gpu, ConvolutionProblem problem) {
        return new WorkspaceSources(List.of(new DistilledWorkspaces()), gpu)
                .withDriver(VERSION)
                .answer(problem)
                .orElseThrow()
                .first();
    }

    /** A convolution that keeps the size of its image, with filters of an odd size. */
    private static ConvolutionProblem problem(
            Direction direction,
            DType type,
            boolean channelsLast,
            long n,
            long c,
            long size,
            long k,
            long r,
            long groups) {
        return new ConvolutionProblem(
                direction,
                type,
                channelsLast,
                List.of(n, c, size, size),
                List.of(k, c / groups, r, r),
                List.of(n, k, size, size),
                List.of(1L, 1L),
                List.of(r / 2, r / 2),
                List.of(1L, 1L),
                List.of(32L, 32L, 32L));
    }

    /** The gradients of the weight of VGG-16 at batch 32, in float32, as PyTorch's trace on an H100 shows them. */
    @ParameterizedTest
    @CsvSource({
        "512, 14, 512, 43778799",
        "512, 28, 512, 120849135",
        "256, 28, 512, 86115055",
        "256, 56, 256, 214958687",
        "128, 56, 256, 163578535",
        "128, 112, 128, 419889831",
        "64, 112, 128, 312836831",
        "64, 224, 64, 824296103"
    })
    void splitSumsOfVgg(long c, long size, long k, long bytes) {
        assertEquals(bytes, answer(HOPPER, problem(Direction.FILTER, DType.FLOAT32, false, 32, c, size, k, 3, 1)));
    }

    /** Layers of VGG-16 at batch 200 and images of 86 pixels, in float32, as an H100 answered. */
    @ParameterizedTest
    @CsvSource({
        "FORWARD, 128, 43, 128, 383459699",
        "FORWARD, 128, 21, 256, 144519587",
        "FORWARD, 256, 21, 256, 190857635",
        "FORWARD, 512, 5, 512, 37782159",
        "FORWARD, 512, 10, 512, 91357331",
        "DATA, 256, 21, 256, 198722075",
        "DATA, 256, 10, 512, 83198751",
        "DATA, 512, 5, 512, 29917200"
    })
    void splitSumsOfOtherDirections(Direction direction, long c, long size, long k, long bytes) {
        assertEquals(bytes, answer(HOPPER, problem(direction, DType.FLOAT32, false, 200, c, size, k, 3, 1)));
    }

    /** Blocks of 32 channels, 32 bytes a tap, of each image; without a driver cuDNN copies both tensors. */
    @Test
    void depthwiseGradientsTakeBlocksOfChannels() {
        ConvolutionProblem problem = problem(Direction.FILTER, DType.BFLOAT16, true, 144, 1392, 14, 1392, 3, 1392);
        assertEquals(144L * 1408 * 9 * 32, answer(HOPPER, problem));
        assertEquals(0, answer(HOPPER, problem(Direction.FORWARD, DType.BFLOAT16, true, 144, 1392, 14, 1392, 3, 1392)));
    }

    /** cuBLASLt keeps the parts of a sum, each as large as the gradient in float32. */
    @Test
    void productsOfChannelsLastKeepParts() {
        long parts = answer(HOPPER, problem(Direction.FILTER, DType.BFLOAT16, true, 450, 512, 28, 160, 1, 1)) - 272;
        assertEquals(0, parts % (512 * 160 * 4));
        assertEquals(44, parts / (512 * 160 * 4));
    }
}
