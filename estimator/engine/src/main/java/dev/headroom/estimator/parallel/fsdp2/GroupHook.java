package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.runtime.ModuleHooks;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The hooks of modules that are wrapped together: before the first of them runs, and after the last
 * (torch/distributed/fsdp/_fully_shard/_fsdp_state.py, _register_group_forward_hooks).
 */
final class GroupHook implements ModuleHooks.Hook {
    private final List<String> modules;
    private final UnitHooks unit;
    private final Set<String> left = new HashSet<>();

    GroupHook(List<String> modules, UnitHooks unit) {
        this.modules = modules;
        this.unit = unit;
    }

    @Override
    public boolean aroundCheckpoint() {
        return unit.aroundCheckpoint();
    }

    @Override
    public boolean prepended() {
        return true;
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        if (left.isEmpty()) {
            left.addAll(modules);
            unit.beforeForward(call);
        }
    }

    @Override
    public void afterForward(ModuleHooks.Call call) {
        left.remove(call.path());
        if (left.isEmpty()) {
            unit.afterForward(call);
        }
    }
}
