package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.vision.ImageTokens;
import dev.headroom.model.graph.Argument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code Llama4ForConditionalGeneration}: a tower, a projector, and a language model whose loss is taken here. */
final class Seeing extends SeveralResults {
    private final Request request;
    private final long features;
    private final Layer tower;
    private final Layer projector;
    private final CausalLanguageModel language;

    Seeing(ModelConfig vision, CausalLanguageModel language, Request request, long width) {
        this.request = request;
        features = vision.size("vision_output_dim");
        tower = child("vision_model", new VisionTower(vision, request));
        projector = child(
                "multi_modal_projector",
                new NamedSequence(Llama4.CLASS + "MultiModalProjector", "linear_1")
                        .with("linear_1", Layers.linear(features, width, false)));
        this.language = child("language_model", language.withoutLoss());
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "ForConditionalGeneration";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("inputs_embeds = self.get_input_embeddings()(input_ids)");
        Value embedded = s.call(((Decoder) language.decoder()).embeddings(), in[0]);
        s.line("image_features = self.get_image_features(pixel_values).last_hidden_state");
        Value seen = s.call(tower, s.given("pixel_values"));
        s.line("vision_flat = image_features.view(-1, image_features.size(-1))");
        Value flat = s.op("aten.view.default", "self", seen, "size", new long[] {-1, features});
        s.line("projected_vision_flat = self.multi_modal_projector(vision_flat).to(inputs_embeds.dtype)");
        Value projected = s.call(projector, flat);
        Argument like = new Argument.TypeOf(embedded.name());
        projected = s.op("aten.to.dtype", "self", projected, "dtype", like);
        Value x = ImageTokens.placed(s, in[0], embedded, projected);
        s.line("outputs = self.language_model(inputs_embeds=inputs_embeds)");
        Value[] made = s.results(language, x);
        List<Value> out = new ArrayList<>();
        if (request.labelled()) {
            out.add(language.loss(s, made[0]));
        }
        out.addAll(Arrays.asList(made));
        out.add(seen);
        s.use(x, projected);
        return out.toArray(Value[]::new);
    }
}
