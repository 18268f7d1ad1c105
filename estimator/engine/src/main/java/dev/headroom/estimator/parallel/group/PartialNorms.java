package dev.headroom.estimator.parallel.group;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.function.UnaryOperator;

/**
 * Norms of tensors of which each rank of a group has a part: their squares are summed over all ranks
 * (torch/distributed/tensor/_ops/_math_ops.py, _NormPartial).
 *
 * @param stream on which NCCL runs what nobody gave a stream to
 */
public record PartialNorms(EagerRuntime runtime, Communicator group, int stream) implements UnaryOperator<Tensor> {
    @Override
    public Tensor apply(Tensor norms) {
        try (Frame frame = runtime.frame()) {
            Tensor squares = runtime.emptyLike(norms);
            Tensor summed = runtime.emptyLike(squares); // the functional all_reduce clones what it is given
            group.run(CollectiveKind.ALL_REDUCE, summed.nbytes(), summed.dtype(), stream);
            return frame.keep(runtime.emptyLike(summed));
        }
    }
}
