package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ShardingOptions;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Batch normalisations take no part in mixed precision where modules are wrapped by a policy: each becomes a unit of
 * its own, in its own type, and works in single precision between two casts (torch/distributed/fsdp/_wrap_utils.py,
 * _auto_wrap; _common_utils.py, _override_module_mixed_precision; api.py, MixedPrecision).
 */
record FullPrecision(Set<String> modules) {
    static FullPrecision of(Graph graph, ShardingOptions options) {
        boolean mixed = options.paramDtype() != null || options.reduceDtype() != null;
        return new FullPrecision(
                mixed && options.wrap() == ShardingOptions.Wrap.BLOCK
                        ? RepeatedBlocks.ofClass(
                                graph, type -> type.startsWith("BatchNorm") || type.equals("SyncBatchNorm"))
                        : Set.of());
    }

    boolean has(Unit unit) {
        return modules.contains(unit.path());
    }

    /** Hooks of one such module, inside those of its unit. */
    static final class Casts {
        private final EagerRuntime runtime;
        private @Nullable DType given;

        Casts(EagerRuntime runtime) {
            this.runtime = runtime;
        }

        ModuleHooks.Hook before() {
            return new ModuleHooks.Hook() {
                @Override
                public void beforeForward(ModuleHooks.Call call) {
                    call.replaceInputs(inputs -> Arrays.stream(inputs)
                            .map(t -> cast(t, DType.FLOAT32))
                            .toArray(Tensor[]::new));
                }
            };
        }

        ModuleHooks.Hook after() {
            return new ModuleHooks.Hook() {
                @Override
                public void afterForward(ModuleHooks.Call call) {
                    DType before = given;
                    if (before != null) {
                        call.replaceEachOutput(t -> cast(t, before));
                    }
                }
            };
        }

        private Tensor cast(Tensor t, DType type) {
            if (!t.dtype().isFloatingPoint() || t.dtype() == type) {
                return t;
            }
            given = t.dtype();
            return Copies.to(runtime, t, type);
        }
    }
}
