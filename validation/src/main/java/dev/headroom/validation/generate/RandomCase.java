package dev.headroom.validation.generate;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Set;

/** A model and a run that PyTorch accepts for it. */
public record RandomCase(RandomModel model, RandomRun run) {
    private static final Set<OptimizerKind> FUSED = Set.of(
            OptimizerKind.SGD,
            OptimizerKind.SGD_MOMENTUM,
            OptimizerKind.ADAM,
            OptimizerKind.ADAMW,
            OptimizerKind.ADAGRAD);

    /** The model's graph in the mode that the run takes. */
    public Graph graph() {
        return model.graph(!run.inference());
    }

    /** Drops from a run what PyTorch refuses, or what does nothing, for a model. */
    public static RandomCase of(RandomModel model, RandomRun wished) {
        boolean floating = model.vocabulary() == 0;
        boolean image = model.input().size() == 3;
        boolean fused = wished.fused() && FUSED.contains(wished.optimizer());
        boolean scaled = wished.amp() == DType.FLOAT16;
        boolean inputGrad = wished.inputGrad() && floating && !wished.inference();
        int children = children(model);
        int segments = wished.checkpoint() > 1 && segmented(model) ? Math.min(wished.checkpoint(), children) : 0;
        List<Integer> modules = segments > 1 || wished.inference()
                ? List.of()
                : wished.checkpointModules().stream()
                        .filter(i -> i < children && checkpointable(model, i))
                        .toList();
        boolean reentrant = Boolean.TRUE.equals(wished.reentrant()) && inputGrad;
        OptimizerKind optimizer = wished.optimizer() == OptimizerKind.NONE && scaled
                ? OptimizerKind.SGD // nothing unscales the gradients
                : wished.optimizer();
        return new RandomCase(
                model,
                new RandomRun(
                        wished.batch(),
                        optimizer,
                        fused ? Scenario.Foreach.AUTO : wished.foreach(),
                        fused,
                        wished.variant(),
                        scaled ? null : wished.dtype(), // the scaler wants float32 gradients
                        mixed(wished) ? null : wished.amp(),
                        loss(model, wished.loss()),
                        segments < 2 || wished.inference() ? 0 : segments,
                        modules,
                        segments < 2 && modules.isEmpty() ? null : reentrant,
                        wished.inference() ? 1 : wished.accumulate(),
                        wished.steps(),
                        wished.zeroGradKeep(),
                        wished.channelsLast() && image,
                        inputGrad,
                        wished.dropOutputs() && !wished.inference(),
                        wished.inference(),
                        wished.attention(),
                        wished.allocConf()));
    }

    /** Batch normalisation refuses parameters in one half type and inputs in the other. */
    private static boolean mixed(RandomRun wished) {
        return wished.dtype() != null && wished.amp() == DType.BFLOAT16 && wished.dtype() != wished.amp();
    }

    private static LossKind loss(RandomModel model, LossKind wished) {
        if (model.returnsLoss()) {
            return LossKind.OUTPUT;
        }
        boolean classes = model.output().size() == 1 || model.output().get(0) > 1;
        return switch (wished) {
            case CROSS_ENTROPY, AUTO -> classes ? LossKind.CROSS_ENTROPY : LossKind.MSE;
            case OUTPUT -> LossKind.SUM;
            default -> wished;
        };
    }

    private static int children(RandomModel model) {
        return model.root() instanceof RandomLayer.Chain c ? c.layers().size() : 0;
    }

    /** Whether every child of the root may begin a segment. */
    private static boolean segmented(RandomModel model) {
        for (int i = 0; i < children(model); i++) {
            if (!checkpointable(model, i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a child leaves its input alone: a checkpoint that changes it fails when it runs again. */
    private static boolean checkpointable(RandomModel model, int child) {
        return !(model.root() instanceof RandomLayer.Chain c
                && c.layers().get(child) instanceof RandomLayer.Activate a
                && a.inPlace());
    }
}
