package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import java.util.function.Function;

/** What models share whose language model is given an image's features in the place of some tokens. */
public final class ImageTokens {
    private ImageTokens() {}

    /**
     * The language model's request. A script's {@code use_cache} reaches the outer config alone; the inner one's own
     * default is to cache.
     *
     * @param inside the inner config, as the file has it
     */
    public static Request inner(Request request, ModelConfig inside) {
        ModelConfig whole = ConfigDefaults.of(inside, "llama");
        boolean caches = whole.flag("use_cache", true);
        return new Request(whole, request.scenario().withModel(request.options().withUseCache(caches)));
    }

    /**
     * The language model of a request.
     *
     * @param text writes it
     * @param holder the model that would hold it
     */
    public static CausalLanguageModel language(Request inner, Function<Request, Layer> text, String holder) {
        if (text.apply(inner) instanceof CausalLanguageModel language && language.decoder() instanceof Decoder) {
            return language;
        }
        throw new UserInputException(inner.config().source() + ": model_type "
                + inner.config().modelType() + " is no language model that " + holder + " could have");
    }

    /**
     * Checks that the image's token is a word of the language model.
     *
     * @param usual the token where the config names none
     * @throws UserInputException when it is not
     */
    public static void check(ModelConfig c, ModelConfig text, long usual) {
        if (c.count("image_token_id", c.count("image_token_index", usual)) >= text.size("vocab_size")) {
            throw new UserInputException(
                    c.source() + ": image_token_id is no word of vocab_size; pass `set=image_token_id=N`");
        }
    }

    /** The tokens' embeddings with the image's features in the place of its tokens. */
    public static Value placed(Scope s, Value ids, Value embedded, Value features) {
        s.line("special_image_mask = self.get_placeholder_mask(input_ids, inputs_embeds, image_features)");
        Value mask = mask(s, ids);
        s.line("inputs_embeds = inputs_embeds.masked_scatter(special_image_mask, image_features)");
        Value x = s.op("aten.masked_scatter.default", "self", embedded, "mask", mask, "source", features);
        s.let("inputs_embeds", x);
        return x;
    }

    /** {@code get_placeholder_mask}. */
    private static Value mask(Scope s, Value ids) {
        return s.function("get_placeholder_mask", () -> {
            s.line("special_image_mask = input_ids == self.config.image_token_id");
            Value images = s.op("aten.eq.Scalar", "self", ids, "other", 0);
            s.line("n_image_tokens = special_image_mask.sum()");
            Value count = s.op("aten.sum.default", "self", images);
            s.line("special_image_mask = special_image_mask.unsqueeze(-1).to(inputs_embeds.device)");
            Value column = s.op("aten.unsqueeze.default", "self", images, "dim", -1);
            s.line("torch_compilable_check(n_image_tokens * inputs_embeds.shape[-1] == image_features.numel())");
            Value elements = s.op("aten.mul.Tensor", "self", count, "other", 1);
            s.op("aten.eq.Scalar", "self", elements, "other", 1);
            return column;
        });
    }
}
