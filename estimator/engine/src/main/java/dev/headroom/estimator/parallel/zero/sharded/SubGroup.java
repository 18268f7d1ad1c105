package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parameters whose parts are stepped at once.
 *
 * @param parameters whose parts lie one behind the other
 * @param master their weights in float32, or {@code null} in the host's memory
 * @param own steps the master weights; {@code null} for nobody on the device
 */
record SubGroup(
        List<ShardedParameter> parameters,
        Tensor master,
        @Nullable Optimizer own) {
    /** Divides parameters into groups (_create_fp16_sub_groups): one closes when it has as many elements. */
    static List<List<ShardedParameter>> divide(List<ShardedParameter> parameters, long most) {
        if (most >= numel(parameters)) {
            return List.of(parameters);
        }
        List<List<ShardedParameter>> out = new ArrayList<>();
        List<ShardedParameter> open = new ArrayList<>();
        for (ShardedParameter p : parameters) {
            open.add(p);
            if (numel(open) >= most || p == parameters.get(parameters.size() - 1)) {
                out.add(open);
                open = new ArrayList<>();
            }
        }
        return out;
    }

    /** Elements of the parts. */
    static long numel(List<ShardedParameter> parameters) {
        return parameters.stream().mapToLong(ShardedParameter::shardNumel).sum();
    }
}
