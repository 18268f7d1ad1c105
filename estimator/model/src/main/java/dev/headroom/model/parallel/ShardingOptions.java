package dev.headroom.model.parallel;

import dev.headroom.model.graph.DType;
import dev.headroom.model.record.Withers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of FullyShardedDataParallel, of the first kind and the second.
 *
 * @param wrap what a unit is
 * @param wrapModules what is wrapped in the place of that, in order: modules by path, pattern or class; several joined
 *     by {@code +} are one unit, and {@link #KEEP} behind them keeps it gathered after its forward pass
 * @param paramDtype type in which parameters are gathered; {@code null} for their own
 * @param reduceDtype type in which gradients are reduced; {@code null} for their own
 * @param outputDtype type in which units of the second kind return what they computed; {@code null} for its own
 * @param reshardAfterForward 1 when gathered parameters are freed after forward, 0 when not, a greater number of
 *     ranks when they are kept among as many; {@code null} for the library's choice
 * @param strategy what the first kind shards
 * @param limitAllGathers whether its host waits for the device before it gathers more
 * @param useOrigParams whether its modules keep parameters of their own
 * @param backwardPrefetch when its backward pass gathers the next unit
 * @param syncModuleStates whether its first rank sends what each unit holds to all others before it is divided
 */
@Withers
public record ShardingOptions(
        Wrap wrap,
        List<String> wrapModules,
        @Nullable DType paramDtype,
        @Nullable DType reduceDtype,
        @Nullable DType outputDtype,
        @Nullable Integer reshardAfterForward,
        Strategy strategy,
        boolean limitAllGathers,
        boolean useOrigParams,
        Prefetch backwardPrefetch,
        boolean syncModuleStates)
        implements ShardingOptionsWithers.With {
    /** Behind modules that stay gathered ({@code fully_shard(..., reshard_after_forward=False)}). */
    public static final String KEEP = "=keep";

    public static final ShardingOptions DEFAULTS = new ShardingOptions(
            Wrap.BLOCK, List.of(), null, null, null, null, Strategy.FULL_SHARD, true, false, Prefetch.PRE, false);

    /** What a unit is. */
    public enum Wrap {
        /** Each block of the model, and the rest. */
        BLOCK,
        /** The whole model. */
        ROOT
    }

    /** What FullyShardedDataParallel of the first kind shards. */
    public enum Strategy {
        FULL_SHARD,
        SHARD_GRAD_OP,
        NO_SHARD,
        /** As FULL_SHARD among some ranks, whose groups have the same. */
        HYBRID_SHARD,
        /** As SHARD_GRAD_OP among some ranks, whose groups have the same. */
        HYBRID_SHARD_ZERO2;

        /** Whether some ranks have what others have as well. */
        public boolean isHybrid() {
            return this == HYBRID_SHARD || this == HYBRID_SHARD_ZERO2;
        }

        /** PyTorch's name. */
        public String option() {
            return this == HYBRID_SHARD_ZERO2 ? "_" + name() : name();
        }
    }

    /** When the next unit is gathered in the backward pass. */
    public enum Prefetch {
        PRE,
        POST,
        NONE
    }
}
