package dev.headroom.advisor.plans;

import dev.headroom.advisor.checkpoints.CheckpointChoice;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines of PyTorch that checkpoint what a choice names. Modules get a forward function that is a checkpoint, so that who
 * calls them stays as it is; a run of siblings is one call in place of several, which the caller has to be written for.
 */
final class CheckpointCode {
    private static final int WIDTH = 70;

    private final ModelFacts model;
    private final ModuleGroups groups;

    CheckpointCode(ModelFacts model, ModuleGroups groups) {
        this.model = model;
        this.groups = groups;
    }

    List<String> of(CheckpointChoice choice) {
        String variant = "use_reentrant=" + (Boolean.TRUE.equals(choice.reentrant()) ? "True" : "False");
        if (choice.segments() > 0) {
            return segments(choice.segments(), variant);
        }
        List<String> modules =
                choice.modules().stream().filter(m -> !m.contains("..")).toList();
        List<String> runs =
                choice.modules().stream().filter(m -> m.contains("..")).toList();
        List<String> code = new ArrayList<>();
        code.add("from torch.utils.checkpoint import checkpoint");
        if (!modules.isEmpty()) {
            code.add("from functools import partial");
            blocks(groups.elements(modules), code);
            code.add("    block.forward = partial(checkpoint, block.forward, " + variant + ")");
        }
        for (String run : runs) {
            code.add("# in place of the calls from " + run.replace("..", " to ") + ":");
            code.add("x = checkpoint(" + groups.sequence(run) + ", x, " + variant + ")");
        }
        return code;
    }

    private static void blocks(List<String> elements, List<String> code) {
        StringBuilder line = new StringBuilder("for block in [");
        for (int i = 0; i < elements.size(); i++) {
            String word = elements.get(i) + (i == elements.size() - 1 ? "]:" : ",");
            if (line.length() + 1 + word.length() > WIDTH && line.length() > 14) {
                code.add(line.toString());
                line = new StringBuilder(" ".repeat(13));
            }
            line.append(i == 0 ? "" : " ").append(word);
        }
        code.add(line.toString());
    }

    private List<String> segments(int segments, String variant) {
        if (model.of("transformers")) {
            return List.of("model.gradient_checkpointing_enable({\"" + variant.replace("=", "\": ") + "})");
        }
        return model.of("timm")
                ? List.of("model.set_grad_checkpointing()")
                : List.of("outputs = torch.utils.checkpoint.checkpoint_sequential(blocks, " + segments + ", inputs, "
                        + variant + ")");
    }
}
