package dev.headroom.estimator.timeline;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.model.graph.DType;

/**
 * A piece of device memory with its life. Events are numbered as in the {@link Timeline}.
 *
 * @param number of the storage, in order of birth
 * @param name of a parameter or buffer, {@code NAME.grad} of a gradient that outlives the run, {@code state of NAME} of
 *     optimizer state; "" of others
 * @param owner path of the module that it counts for: that of the parameter that it is, or is the gradient or state of;
 *     of others the one that ran
 * @param madeBy the module, the operator and the autograd node that ran
 * @param dtype element type of the tensor that it was made for
 * @param sizes shape of that tensor; do not change the array
 * @param requested bytes asked for
 * @param rounded bytes of the block
 * @param born the event that made it
 * @param died the event that freed it, or the number of events when it outlives the run
 */
public record LiveTensor(
        int number,
        String name,
        String owner,
        Attribution madeBy,
        DType dtype,
        long[] sizes,
        long requested,
        long rounded,
        int born,
        int died) {

    /** Whether it is alive after an event. */
    public boolean aliveAt(int event) {
        return born <= event && event < died;
    }
}
