package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.parallel.Parallelism;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Brings a unit's tensors to the GPU before it is flattened (torch/distributed/fsdp/_init_utils.py,
 * _materialize_with_param_init_fn and _move_module_to_device), and its buffers to their type.
 */
final class Placement {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final ModelState state;
    private final ModuleTree tree;
    private final Set<String> placed = new HashSet<>();

    Placement(EagerRuntime runtime, ModelTensors model, ModelState state) {
        this.runtime = runtime;
        this.model = model;
        this.state = state;
        this.tree = new ModuleTree(state);
    }

    /** @param wrapped paths of all wrapped modules below the model */
    void place(Unit unit, Set<String> wrapped, Parallelism.Build build) {
        if (build == Parallelism.Build.CUDA) {
            return;
        }
        List<String> modules = breadthFirst(unit.path(), wrapped);
        if (build == Parallelism.Build.META) {
            for (String module : modules) {
                place(module, Graph.InputKind.PARAMETER);
                place(module, Graph.InputKind.BUFFER);
            }
        } else {
            modules.forEach(m -> place(m, Graph.InputKind.PARAMETER));
            modules.forEach(m -> place(m, Graph.InputKind.BUFFER));
        }
    }

    private List<String> breadthFirst(String root, Set<String> wrapped) {
        List<String> out = new ArrayList<>();
        Deque<String> queue = new ArrayDeque<>(List.of(root));
        while (!queue.isEmpty()) {
            String module = queue.remove();
            out.add(module);
            for (String child : tree.children(module)) {
                if (!wrapped.contains(child)) {
                    queue.add(child);
                }
            }
        }
        return out;
    }

    private void place(String module, Graph.InputKind kind) {
        for (Map.Entry<String, ModelState.HeldTensor> e : tree.tensors(module)) {
            if (e.getValue().kind() == kind && placed.add(e.getValue().storage())) {
                Tensor t = model.named(e.getKey());
                Category category = kind == Graph.InputKind.PARAMETER ? Category.PARAMETERS : Category.BUFFERS;
                replace(t, t.dtype(), category);
            }
        }
    }

    /**
     * Buffers in another type, those of inner units first (_cast_buffers_to_dtype_and_device).
     *
     * @param types of the units' buffers; {@code null} for those that stay
     */
    void castBuffers(List<Unit> outermostFirst, Function<Unit, DType> types) {
        Set<String> seen = new HashSet<>();
        for (int i = outermostFirst.size() - 1; i >= 0; i--) {
            String path = outermostFirst.get(i).path();
            DType type = types.apply(outermostFirst.get(i));
            for (Map.Entry<String, ModelState.HeldTensor> e : state.tensors().entrySet()) {
                boolean inside = path.isEmpty() || e.getKey().startsWith(path + ".");
                if (inside
                        && e.getValue().kind() == Graph.InputKind.BUFFER
                        && seen.add(e.getValue().storage())) {
                    Tensor t = model.named(e.getKey());
                    if (type != null && t.dtype().isFloatingPoint() && t.dtype() != type) {
                        replace(t, type, Category.BUFFERS);
                    }
                }
            }
        }
    }

    private void replace(Tensor t, DType type, Category category) {
        try (Frame frame = runtime.frame()) {
            long[] strides = Shapes.contiguous(t.sizes());
            runtime.setData(t, runtime.emptyStrided(type, t.sizes(), strides, category), strides, 0);
        }
    }
}
