package dev.headroom.executor.parallel.pipeline;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.Program;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Inputs;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parts.Division;
import dev.headroom.model.parts.Part;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a stage hands on for a microbatch. */
record Boundary(DType type, long[] sizes, long[] strides) {
    private static final long PLENTY = 1L << 42;

    /** What each stage hands on, found by a forward pass without data ({@code record_parallel.py}, stages). */
    static List<Boundary> of(Division division, PreparedRun rows, Settings settings) {
        Scenario alone = rows.scenario().withParallel(Parallelism.DEFAULTS);
        List<Boundary> out = new ArrayList<>();
        try (Backend none = NoKernels.over(PLENTY)) {
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), none.memory()), none, settings);
            eager.tape().setEnabled(false);
            Map<String, Tensor> given = Inputs.make(eager, rows.graph(), alone, rows.symbols(), (n, t) -> {});
            for (int k = 0; k < division.parts().size(); k++) {
                Part part = division.parts().get(k);
                Map<String, Tensor> values = new HashMap<>(given);
                values.putAll(new ModelMemory(eager, division.held(k), alone).byValue());
                Tensor[] made = new Program(eager, part.plan().graph(), rows.symbols()).run(values);
                Tensor first = Arrays.stream(made)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow(() -> new UserInputException("`parallel=pp`: a stage hands nothing on"));
                out.add(new Boundary(first.dtype(), first.sizes(), first.strides()));
                given = part.outputs().isEmpty()
                        ? Map.of()
                        : Map.of(part.outputs().get(0), first);
            }
        }
        return out;
    }

    /** A buffer for it, with a reference for the caller. */
    Tensor buffer(Eager eager) {
        try (Scope s = eager.open()) {
            return eager.hold(eager.emptyStrided(type, sizes, strides));
        }
    }
}
