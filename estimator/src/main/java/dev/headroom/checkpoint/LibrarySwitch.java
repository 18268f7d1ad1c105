package dev.headroom.checkpoint;

import dev.headroom.graph.Graph;
import java.util.List;

/**
 * What a library's own switch checkpoints, told by the class names in the module stacks.
 *
 * <ul>
 *   <li>transformers, {@code gradient_checkpointing_enable()}: every call of a GradientCheckpointingLayer
 *       (modeling_layers.py). Archives hold class names without their bases: the library numbers these layers in a list
 *       and ends their classes' names in Layer, Block or Stage; of nested ones the outermost is meant.
 *   <li>timm, {@code set_grad_checkpointing()}: {@code checkpoint_seq} over blocks (models/_manipulate.py), which are
 *       numbered modules of classes from timm.models; of nested ones (blocks of stages) the innermost is meant.
 * </ul>
 *
 * Both libraries checkpoint without re-entrant autograd unless they are told otherwise.
 */
final class LibrarySwitch {
    private LibrarySwitch() {}

    static List<ModuleCalls.Call> blocks(Graph graph) {
        List<ModuleCalls.Call> roots = ModuleCalls.roots(graph);
        if (roots.stream().anyMatch(c -> c.type().startsWith("transformers."))) {
            return ModuleCalls.outermost(roots, LibrarySwitch::isLayer);
        }
        if (roots.stream().anyMatch(c -> c.type().startsWith("timm."))) {
            return ModuleCalls.innermost(roots, c -> c.index() >= 0 && c.type().startsWith("timm.models."));
        }
        return List.of();
    }

    private static boolean isLayer(ModuleCalls.Call c) {
        return c.index() >= 0
                && c.type().startsWith("transformers.")
                && (c.type().endsWith("Layer") || c.type().endsWith("Block") || c.type().endsWith("Stage"));
    }
}
