package dev.headroom.estimator.parallel.unit;

import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.graph.Graph;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The modules that accelerate wraps where a run names none: those of the classes that a model of transformers lists as
 * {@code _no_split_modules} (accelerate 1.15, utils/dataclasses.py, set_auto_wrap_policy; transformers 5.17, the
 * modeling files). Nearly all lists hold the class of the layers alone, which are found as they are anywhere else;
 * what others hold beside it, and whose list is empty, stands here.
 */
public final class NoSplitModules {
    private static final Set<String> BESIDE_LAYERS = Set.of(
            "BertEmbeddings",
            "RobertaEmbeddings",
            "XLMRobertaEmbeddings",
            "CamembertEmbeddings",
            "ModernBertEmbeddings",
            "ViTEmbeddings",
            "CLIPTextEmbeddings",
            "CLIPVisionEmbeddings",
            "MambaMixer",
            "FalconMambaMixer");

    private static final Set<String> LAYERS_OF_EMPTY_LISTS =
            Set.of("TransformerBlock", "ElectraLayer", "DebertaV2Layer");

    private NoSplitModules() {}

    /**
     * Paths of the modules, inner ones before those around them.
     *
     * @param checkpointed whether blocks are checkpointed
     * @param others paths of modules that are wrapped too
     */
    public static List<String> of(Graph graph, boolean checkpointed, Set<String> others) {
        Set<String> more = new HashSet<>(others);
        more.addAll(RepeatedBlocks.ofClass(graph, BESIDE_LAYERS::contains));
        return RepeatedBlocks.ofClass(graph, LAYERS_OF_EMPTY_LISTS::contains).isEmpty()
                ? RepeatedBlocks.sameTypes(graph, checkpointed, more)
                : RepeatedBlocks.paths(graph, more);
    }
}
