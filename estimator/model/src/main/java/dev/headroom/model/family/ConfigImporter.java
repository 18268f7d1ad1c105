package dev.headroom.model.family;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigFile;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.config.Safetensors;
import dev.headroom.model.family.config.ShippedConfigs;
import dev.headroom.model.family.decoder.GivenKeys;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.generation.GreedySearch;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.llama4.Llama4;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.options.ModelOptions.Task;
import dev.headroom.model.family.speech.Whisper;
import dev.headroom.model.family.vision.QwenVl;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.importer.Importer;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.trainer.LoopKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds models from the {@code config.json} of the transformers library: no weights, no Python. */
public final class ConfigImporter implements Importer {
    /** Families that are given images and no text. */
    private static final Set<String> IMAGES_ALONE = Set.of("vit");

    /** Families that are told which tokens see each other. */
    private static final Set<String> TYPED = Set.of("gemma3", "paligemma");

    /** Families that are given images of any size, as rows of patches. */
    private static final Set<String> ANY_SIZE = Set.of("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe");

    @Override
    public String format() {
        return "config.json of transformers, folders that hold one, and names that headroom models lists";
    }

    @Override
    public boolean accepts(Path file) {
        return ConfigFile.isMeant(file);
    }

    @Override
    public boolean ships(String name) {
        return ShippedConfigs.has(name);
    }

    @Override
    public Graph read(Path file) {
        return read(file, Scenario.defaults());
    }

    @Override
    public Graph read(Path file, Scenario scenario) {
        ModelConfig config = ConfigFile.read(file).with(scenario.model().entries());
        Graph graph = graph(ConfigFile.modelName(file), new Request(config, scenario));
        check(graph, file, config);
        return graph;
    }

    @Override
    public List<String> names() {
        return ShippedConfigs.names();
    }

    /** Weights that lie beside the config have the shapes that it says. */
    private static void check(Graph graph, Path folder, ModelConfig config) {
        Safetensors.shapes(folder).forEach((name, shape) -> {
            ModelState.HeldTensor held = graph.held().tensors().get(name);
            if (held == null) {
                return; // checkpoints may have other names for what the library joins when it loads
            }
            List<Long> said = held.meta().sizes().stream()
                    .map(size -> size.evaluate(Map.of()))
                    .toList();
            if (!said.equals(shape)) {
                throw new UserInputException(config.source() + " says that " + name + " is " + said
                        + ", but the weights beside it have " + shape + "; the files are of two models");
            }
        });
    }

    private static Graph graph(String name, Request request) {
        ModelConfig config = request.config();
        String type = config.modelType();
        if (type.isEmpty()) {
            throw new UserInputException(
                    config.source() + " has no \"model_type\"; it is no config.json of transformers");
        }
        Families.Family family = Families.find(type)
                .orElseThrow(() -> new UserInputException(config.source() + ": Headroom has no family for model_type "
                        + type
                        + Suggestion.of(
                                type,
                                Families.all().stream()
                                        .map(Families.Family::modelType)
                                        .toList())
                        + "; export the model and predict the archive: headroom export-help prints the program"));
        ModelOptions options = request.options();
        if (options.packing() && request.scenario().trainer().loop() == LoopKind.SFT) {
            throw new UserInputException(
                    "`packing` is not modelled with `loop=sft`, whose collator joins a batch in one"
                            + " row; ask with `loop=trainer`, `batch=1` and `seq` for all of its tokens");
        }
        if (options.packing() && options.mask() != ModelOptions.Mask.NONE) {
            throw new UserInputException("`packing` has no mask; leave `mask` out");
        }
        if (!options.imageSize().isEmpty() && !ANY_SIZE.contains(type)) {
            throw new UserInputException(
                    config.source() + " says how large images are, or has none; leave `image_size` out");
        }
        boolean sees = IMAGES_ALONE.contains(type);
        if (sees && (options.seq() != null || options.packing() || options.mask() != ModelOptions.Mask.NONE)) {
            throw new UserInputException(config.source() + " has no text; leave out `seq`, `mask` and `packing`");
        }
        if (!sees) {
            request.seq();
            LearnedPositions.check(request);
        }
        if (request.scenario().generation().any() && (sees || config.has("vision_config"))) {
            throw new UserInputException(
                    config.source() + ": `generate` is not modelled for models that see; leave it out");
        }
        boolean plain = !request.scenario().generation().any() && !options.packing() && Tasks.of(request) == Task.AUTO;
        if (request.prefix() > 0 && !plain) {
            throw GivenKeys.refused(config);
        }
        return request.scenario().generation().any()
                ? new GreedySearch(name, request, family.model()).graph()
                : pass(name, request, family);
    }

    private static Graph pass(String name, Request request, Families.Family family) {
        Layer root = family.model().apply(request);
        Model model = Model.of(name, root).type(request.type());
        inputs(model, request);
        if (request.prefix() > 0) {
            GivenKeys.input(model, request);
        }
        Graph graph = request.training() ? model.graph() : model.eval().graph();
        return graph.withHeld(graph.held().asLoaded());
    }

    private static void images(Model model, Request request, ModelConfig vision) {
        SymExpr side = SymExpr.of(vision.size("image_size", 224));
        model.input("pixel_values", request.type(), Request.BATCH, SymExpr.of(3), side, side);
    }

    /** The patches of images of any size, how many each has, and which tokens stand for them. */
    private static void patches(Model model, Request request) {
        ModelConfig vision = QwenVl.vision(request.config());
        long patch = vision.size("patch_size");
        long features = vision.size("in_channels") * vision.size("temporal_patch_size") * patch * patch;
        model.input("pixel_values", request.type(), QwenVl.patches(request), SymExpr.of(features));
        model.input("image_grid_thw", DType.INT64, Request.BATCH, SymExpr.of(3));
        model.input("mm_token_type_ids", DType.INT32, Request.BATCH, Request.SEQ);
    }

    /** In the order of the batch's entries. */
    private static void inputs(Model model, Request request) {
        ModelConfig config = request.config();
        if (IMAGES_ALONE.contains(config.modelType())) {
            images(model, request, config);
            if (request.labelled()) {
                model.input("labels", DType.INT64, Request.BATCH);
            }
            return;
        }
        if (config.modelType().equals("whisper")) {
            long[] sound = Whisper.sound(config);
            model.input("input_features", request.type(), Request.BATCH, SymExpr.of(sound[0]), SymExpr.of(sound[1]));
            model.input("labels", DType.INT64, Request.BATCH, Request.SEQ);
            return;
        }
        model.input("input_ids", DType.INT64, Request.BATCH, Request.SEQ);
        if (request.options().mask() != ModelOptions.Mask.NONE) {
            model.input("attention_mask", DType.INT64, Request.BATCH, Request.SEQ);
        }
        if (request.options().packing()) {
            model.input("position_ids", DType.INT64, Request.BATCH, Request.SEQ);
        }
        ModelConfig vision = request.config().section("vision_config");
        if (ANY_SIZE.contains(config.modelType())) {
            patches(model, request);
        } else if (config.modelType().equals("llama4")) {
            images(model, request, Llama4.vision(config));
        } else if (!vision.entries().isEmpty()) {
            images(model, request, vision);
        }
        if (TYPED.contains(config.modelType())) {
            model.input("token_type_ids", DType.INT64, Request.BATCH, Request.SEQ);
        }
        boolean paired = config.modelType().equals("clip"); // images and texts are each other's labels
        if (request.labelled() && !paired) {
            switch (Tasks.of(request)) {
                case SEQUENCE_CLASSIFICATION -> model.input("labels", DType.INT64, Request.BATCH);
                case QUESTION_ANSWERING -> {
                    model.input("start_positions", DType.INT64, Request.BATCH);
                    model.input("end_positions", DType.INT64, Request.BATCH);
                }
                default -> model.input("labels", DType.INT64, Request.BATCH, Request.SEQ);
            }
        }
    }
}
