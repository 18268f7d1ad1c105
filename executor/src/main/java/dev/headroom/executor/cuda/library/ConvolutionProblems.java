package dev.headroom.executor.cuda.library;

import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.cudnn.ConvolutionProblem;
import java.util.Arrays;
import java.util.List;

/** A call as the question to cuDNN, of the tensors where they lie. */
final class ConvolutionProblems {
    private ConvolutionProblems() {}

    static ConvolutionProblem of(ConvolutionCall call) {
        return new ConvolutionProblem(
                switch (call.direction()) {
                    case OUTPUT -> ConvolutionProblem.Direction.FORWARD;
                    case INPUT_GRADIENT -> ConvolutionProblem.Direction.DATA;
                    case WEIGHT_GRADIENT -> ConvolutionProblem.Direction.FILTER;
                },
                call.input().dtype(),
                call.isChannelsLast(),
                list(call.input().sizes()),
                list(call.weight().sizes()),
                list(call.output().sizes()),
                list(call.geometry().stride()),
                list(call.geometry().padding()),
                list(call.geometry().dilation()),
                List.of(alignment(call.input()), alignment(call.weight()), alignment(call.output())),
                call.caller().deterministic());
    }

    /** The largest power of two that divides the address, as far as PyTorch looks. */
    private static long alignment(Tensor t) {
        return Math.min(Long.lowestOneBit(t.address()), ConvolutionProblem.LARGEST_ALIGNMENT);
    }

    private static List<Long> list(long... values) {
        return Arrays.stream(values).boxed().toList();
    }
}
