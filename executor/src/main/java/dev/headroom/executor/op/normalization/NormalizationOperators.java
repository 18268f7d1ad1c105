package dev.headroom.executor.op.normalization;

import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** {@code aten.batch_norm} and its like. */
public final class NormalizationOperators {
    private NormalizationOperators() {}

    public static void register(Operators o) {
        o.add1("aten.batch_norm", NormalizationOperators::batchNorm);
    }

    private static Tensor batchNorm(Eager e, Arguments a) {
        Tensor x = a.tensor("input");
        if (x.dims() < 2) {
            throw new UserInputException(
                    "batch_norm: an input of shape " + Arrays.toString(x.sizes()) + " has no channels");
        }
        var channels = new BatchNorms.Channels(
                a.optional("weight"), a.optional("bias"), a.optional("running_mean"), a.optional("running_var"));
        boolean training = a.flag("training", true);
        if (!training && channels.mean() == null) {
            throw new UserInputException("batch_norm: evaluation needs running statistics");
        }
        return BatchNorms.of(
                e, x, channels, new BatchNorms.Numbers(training, a.real("momentum", 0.1), a.real("eps", 1e-5)));
    }
}
