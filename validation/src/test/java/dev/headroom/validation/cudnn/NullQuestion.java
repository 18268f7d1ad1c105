package dev.headroom.validation.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A convolution as the null cuDNN writes what it is asked: way, dimensions, types and sizes of the tensors and of the
 * window, as numbers in a line ({@code dnn_operation.c}).
 */
final class NullQuestion {
    /** {@code CUDNN_CROSS_CORRELATION}. */
    private static final long MODE = 1;

    private NullQuestion() {}

    static String of(ConvolutionProblem p) {
        long type = type(p.type());
        List<Long> out = new ArrayList<>(List.of(
                (long) p.direction().ordinal(),
                (long) p.x().size(),
                p.type() == DType.FLOAT64 ? type : type(DType.FLOAT32),
                MODE));
        List<List<Long>> tensors = List.of(p.x(), p.w(), p.y());
        for (int i = 0; i < tensors.size(); i++) {
            out.add(type);
            out.add(p.alignment().get(i));
            out.addAll(tensors.get(i));
            out.addAll(strides(tensors.get(i), p.channelsLast()));
        }
        out.addAll(p.padding());
        out.addAll(p.padding());
        out.addAll(p.stride());
        out.addAll(p.dilation());
        return out.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** {@code cudnnDataType_t}. */
    private static long type(DType type) {
        return switch (type) {
            case FLOAT32 -> 0;
            case FLOAT64 -> 1;
            case FLOAT16 -> 2;
            case BFLOAT16 -> 9;
            default -> throw new IllegalArgumentException(type.torchName());
        };
    }

    /** Of a packed tensor. */
    private static List<Long> strides(List<Long> sizes, boolean channelsLast) {
        int n = sizes.size();
        Long[] out = new Long[n];
        long step = 1;
        for (int k = 0; k < n; k++) {
            // Fastest first: channels, then the spatial dimensions from the last on, then the batch.
            int d = !channelsLast ? n - 1 - k : k == 0 ? 1 : k == n - 1 ? 0 : n - k;
            out[d] = step;
            step *= sizes.get(d);
        }
        return Arrays.asList(out);
    }
}
