package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Checkpointing;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines of PyTorch that checkpoint what a choice names. Modules get a forward function that is a checkpoint, so that
 * who calls them stays as it is; a run of siblings is one call in place of several, which the caller has to be written
 * for.
 */
final class CheckpointCode {
    private static final int WIDTH = 70;

    private final ModelFacts model;

    CheckpointCode(ModelFacts model) {
        this.model = model;
    }

    /** @param named modules and runs of siblings, each by its path */
    List<String> of(Checkpointing what, List<String> named) {
        String variant = "use_reentrant=" + (Boolean.TRUE.equals(what.reentrant()) ? "True" : "False");
        if (what.segments() > 0) {
            return segments(what.segments(), variant);
        }
        List<String> modules = named.stream().filter(m -> !m.contains("..")).toList();
        List<String> runs = named.stream().filter(m -> m.contains("..")).toList();
        List<String> code = new ArrayList<>();
        code.add("from torch.utils.checkpoint import checkpoint");
        if (!modules.isEmpty()) {
            code.add("from functools import partial");
            blocks(model.groups().elements(modules), code);
            code.add("    block.forward = partial(checkpoint, block.forward, " + variant + ")");
        }
        for (String run : runs) {
            code.add("# in place of the calls from " + run.replace("..", " to ") + ":");
            code.add("x = checkpoint(" + model.groups().sequence(run) + ", x, " + variant + ")");
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
