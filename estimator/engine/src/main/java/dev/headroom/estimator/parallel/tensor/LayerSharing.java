package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.plan.PlannedModule;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shares the layers of a model, the whole one or a stage of it, as its plan says. */
final class LayerSharing {
    private final Parallelism parallel;
    private final TensorRanks ranks;
    private final boolean dividedFurther;
    private final StageModule module;
    private final List<PlannedModule> plan;
    private @Nullable SharedModel model;
    private @Nullable NodeHook nodes;

    /**
     * @param dividedFurther whether {@code fully_shard} divides the parts
     * @param plan of the whole model
     */
    LayerSharing(
            Parallelism parallel, TensorRanks ranks, boolean dividedFurther, SharingPlan plan, StageModule module) {
        this.parallel = parallel;
        this.ranks = ranks;
        this.dividedFurther = dividedFurther;
        this.module = module;
        Set<String> own = new HashSet<>(module.modules());
        this.plan = plan.modules().stream().filter(p -> own.contains(p.path())).toList();
    }

    void wrap() {
        boolean onDevice = parallel.build() == Parallelism.Build.CUDA;
        TiedParameters ties = new TiedParameters(module.graph());
        if (dividedFurther && ties.any()) {
            throw new UserInputException("`parallel=" + parallel.kind().option()
                    + "`: one stage has parameters that are tied, which is not modelled; give each module its own"
                    + " (tie_word_embeddings=False)");
        }
        model = new SharedModel(module.runtime(), module.model(), module.graph(), ties, ranks, onDevice);
        Conversions conversions = new Conversions(module.runtime(), ranks);
        for (PlannedModule planned : plan) {
            ModuleContent content = ModuleContent.of(module.graph(), planned.path());
            content.check(planned.path(), planned.style());
            model.share(planned, content);
            module.runtime()
                    .modules()
                    .add(planned.path(), new StyledModule(planned.path(), planned.style(), content, conversions));
        }
        model.finish(dividedFurther);
        nodes = new SharedOperators(module.runtime(), ranks, ties, new LocalSizes(module.symbols(), ranks.size()));
    }

    @Nullable
    NodeHook nodes() {
        return nodes;
    }

    SharedModel model() {
        return Objects.requireNonNull(model, "the model is not wrapped yet");
    }
}
