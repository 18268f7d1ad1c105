package dev.headroom.advise;

import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Activation checkpointing with sets of modules that are worth their price. */
final class Checkpoints {
    private final ModelFacts model;
    private final Trials trials;

    /** From the cheapest to the one that keeps least. */
    private final List<Change> choices;

    Checkpoints(ModelFacts model, Trials trials, List<Recomputation> plans) {
        this.model = model;
        this.trials = trials;
        this.choices = plans.stream()
                .sorted(Comparator.comparingDouble(p -> p.cost().recomputedShare()))
                .map(this::change)
                .toList();
    }

    /** The cheapest, the one that keeps least, and one between. */
    List<Change> some() {
        int last = choices.size() - 1;
        return choices.size() <= 3 ? choices : List.of(choices.get(0), choices.get(last / 2), choices.get(last));
    }

    /** The one that keeps least. */
    Optional<Change> strongest() {
        return choices.isEmpty() ? Optional.empty() : Optional.of(choices.get(choices.size() - 1));
    }

    /** The cheapest under which a run gets through, if there is one. */
    Optional<Change> cheapest(TrainingRun run) {
        int low = 0;
        int high = choices.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (trials.fits(choices.get(middle).of(run))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return choices.subList(Math.min(low, choices.size()), choices.size()).stream()
                .filter(c -> trials.fits(c.of(run)))
                .findFirst();
    }

    private Change change(Recomputation plan) {
        return new Change(
                "checkpointing",
                "checkpointing: " + plan.name(),
                Intrusion.WORK,
                plan.cost(),
                code(plan),
                List.of(),
                r -> {
                    r.checkpoint = plan.segments();
                    r.checkpointModules = plan.modules();
                    r.reentrant = plan.reentrant();
                });
    }

    private List<String> code(Recomputation plan) {
        String variant = "use_reentrant=" + (Boolean.TRUE.equals(plan.reentrant()) ? "True" : "False");
        if (plan.segments() > 0) {
            if (model.of("transformers")) {
                return List.of("model.gradient_checkpointing_enable({\"" + variant.replace("=", "\": ") + "})");
            }
            return model.of("timm")
                    ? List.of("model.set_grad_checkpointing()")
                    : List.of("outputs = torch.utils.checkpoint.checkpoint_sequential(blocks, " + plan.segments()
                            + ", inputs, " + variant + ")");
        }
        List<String> code = new ArrayList<>(
                List.of("from functools import partial", "from torch.utils.checkpoint import checkpoint"));
        code.add("for name in ["
                + String.join(
                        ", ", plan.modules().stream().map(m -> "\"" + m + "\"").toList()) + "]:");
        code.add("    module = model.get_submodule(name)");
        code.add("    module.forward = partial(checkpoint, module.forward, " + variant + ")");
        return code;
    }
}
