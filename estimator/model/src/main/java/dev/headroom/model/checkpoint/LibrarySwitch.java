package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * What a library's own switch checkpoints, told by the class names in the module stacks.
 *
 * <ul>
 *   <li>transformers, {@code gradient_checkpointing_enable()}: every call of a GradientCheckpointingLayer
 *       (modeling_layers.py). Archives hold class names without their bases: the library numbers these layers in a list
 *       and ends their classes' names in Layer, LayerNorm (StableLayerNorm variants), Block or Stage; of nested ones
 *       the outermost is meant.
 *   <li>timm, {@code set_grad_checkpointing()}: {@code checkpoint_seq} over blocks (models/_manipulate.py), which are
 *       numbered modules of classes from timm.models; of nested ones (blocks of stages) the innermost is meant.
 * </ul>
 *
 * Layers of transformers are called with keywords but for the hidden states (modeling_layers.py, a partial), where
 * the library does not say otherwise.
 *
 * Both libraries checkpoint without re-entrant autograd unless they are told otherwise.
 */
final class LibrarySwitch {
    private static final String TRANSFORMERS = "transformers.";
    private static final String POSITIONS = "position_ids =";

    /** Models of transformers whose layers are not given the positions. */
    private static final List<String> KEEP_POSITIONS = List.of(
            "transformers.models.modernbert.",
            "transformers.models.whisper.",
            "transformers.models.gpt_bigcode.",
            "transformers.models.qwen2_vl.",
            "transformers.models.qwen2_5_vl.",
            "transformers.models.qwen3_vl.",
            "transformers.models.qwen3_vl_moe.",
            "transformers.models.siglip.");

    /** Layers whose masks and other states have no keywords (5.17, the loops over layers in models). */
    private static final List<String> ALL_POSITIONAL = List.of(
            ".T5Block",
            ".WhisperDecoderLayer",
            ".BertLayer",
            ".RobertaLayer",
            ".XLMRobertaLayer",
            ".CamembertLayer",
            ".ElectraLayer",
            ".CLIPEncoderLayer",
            ".SiglipEncoderLayer");

    /** Layers whose states have a keyword as well (models/llama4/modeling_llama4.py, Llama4VisionEncoder). */
    private static final String NONE_POSITIONAL = ".Llama4VisionEncoderLayer";

    private LibrarySwitch() {}

    /** What the switch of the model's library makes checkpoints of; empty for other models. */
    static List<Region> regions(Graph graph) {
        Regions regions = new Regions(graph);
        List<Integer> positions = positions(graph);
        return calls(graph).stream()
                .map(c -> c.type().startsWith(TRANSFORMERS)
                        ? region(regions, c, positions(graph, positions, c))
                        : regions.of(c.from(), c.to()))
                .toList();
    }

    private static Region region(Regions regions, ModuleCalls.Call c, List<String> given) {
        Region region = regions.of(c.from(), c.to(), given);
        if (ALL_POSITIONAL.stream().anyMatch(c.type()::endsWith)) {
            return region.withPositional(region.inputs().size() - given.size());
        }
        return region.withPositional(c.type().endsWith(NONE_POSITIONAL) ? 0 : 1);
    }

    /**
     * The same regions, re-entrant: a function's results are new to autograd even where the layer returns what it was
     * given, and those that nobody uses get gradients of zeros. T5's layers hand the biases of positions on, which the
     * first of a stack makes (models/t5/modeling_t5.py, T5Stack).
     */
    static List<Region> handingOn(Graph graph, List<Region> regions) {
        List<ModuleCalls.Call> calls = calls(graph);
        List<Region> out = new ArrayList<>();
        List<String> handed = List.of();
        for (int i = 0; i < regions.size(); i++) {
            Region region = regions.get(i);
            if (!isT5(calls.get(i))) {
                out.add(region);
            } else if (calls.get(i).index() == 0) {
                handed = region.outputs().subList(0, region.outputs().size() - 1); // states come last
                out.add(region);
            } else {
                out.add(region.alsoReturning(handed));
            }
        }
        return out;
    }

    private static boolean isT5(ModuleCalls.Call c) {
        return c.type().endsWith("T5Block");
    }

    /** The calls that the switch makes checkpoints of. */
    static List<ModuleCalls.Call> calls(Graph graph) {
        List<ModuleCalls.Call> roots = ModuleCalls.roots(graph);
        if (roots.stream().anyMatch(c -> c.type().startsWith(TRANSFORMERS))) {
            return ModuleCalls.outermost(roots, LibrarySwitch::isLayer);
        }
        return roots.stream().anyMatch(c -> c.type().startsWith("timm."))
                ? ModuleCalls.innermost(roots, c -> c.index() >= 0 && c.type().startsWith("timm.models."))
                : List.of();
    }

    /**
     * The layers of transformers, found once for many ranges.
     *
     * @param calls of them
     * @param positions nodes whose results may be positions
     */
    record Layers(Graph graph, List<ModuleCalls.Call> calls, List<Integer> positions) {
        /**
         * What those from one node to before another are given and do not read, when they are wrapped by name.
         *
         * @param from the first node
         */
        List<String> given(int from, int to) {
            return calls.stream()
                    .filter(c -> from <= c.from() && c.to() <= to)
                    .findFirst()
                    .map(c -> LibrarySwitch.positions(graph, positions, c))
                    .orElse(List.of());
        }
    }

    static Layers layers(Graph graph) {
        List<ModuleCalls.Call> calls = ModuleCalls.outermost(ModuleCalls.roots(graph), LibrarySwitch::isLayer);
        return new Layers(graph, calls, calls.isEmpty() ? List.of() : positions(graph));
    }

    /** timm calls {@code checkpoint} with modules; transformers call it inside of the layer's own call. */
    static boolean isOutside(Graph graph) {
        return ModuleCalls.roots(graph).stream().anyMatch(c -> c.type().startsWith("timm."));
    }

    private static boolean isLayer(ModuleCalls.Call c) {
        return c.index() >= 0
                && c.type().startsWith(TRANSFORMERS)
                && (c.type().endsWith("Layer")
                        || c.type().endsWith("LayerNorm")
                        || c.type().endsWith("Block")
                        || c.type().endsWith("Stage"));
    }

    /**
     * The checkpoint keeps the keywords of the call, {@code position_ids} among them, although layers that are given
     * the rotary embedding do not read them: the value that the caller's variable of that name holds, which it may have
     * been given.
     */
    private static List<String> positions(Graph graph, List<Integer> positions, ModuleCalls.Call layer) {
        if (KEEP_POSITIONS.stream().anyMatch(layer.type()::startsWith)) {
            return List.of();
        }
        List<Node.ModuleCall> callers = graph.nodes().get(layer.from()).moduleStack();
        for (int k = positions.size() - 1; k >= 0; k--) {
            if (positions.get(k) >= layer.from()) {
                continue;
            }
            Node node = graph.nodes().get(positions.get(k));
            List<Node.ModuleCall> stack = node.moduleStack();
            int last = stack.size() - 1;
            boolean calls = last >= 0
                    && last < layer.depth()
                    && stack.get(last).call().equals(callers.get(last).call());
            if (calls) {
                return node.outputs().subList(0, 1);
            }
        }
        return List.of();
    }

    /** The nodes whose results get that name. */
    private static List<Integer> positions(Graph graph) {
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            if (lastLine(graph.nodes().get(i).stackTrace()).startsWith(POSITIONS)) {
                out.add(i);
            }
        }
        return out;
    }

    private static String lastLine(String trace) {
        return trace.substring(trace.lastIndexOf('\n') + 1).strip();
    }
}
