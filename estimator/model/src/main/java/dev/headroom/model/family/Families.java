package dev.headroom.model.family;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.encoder.Bert;
import dev.headroom.model.family.encoder.DebertaV2;
import dev.headroom.model.family.encoder.DistilBert;
import dev.headroom.model.family.encoder.Electra;
import dev.headroom.model.family.encoder.ModernBert;
import dev.headroom.model.family.llama4.Llama4;
import dev.headroom.model.family.older.Bloom;
import dev.headroom.model.family.older.Falcon;
import dev.headroom.model.family.older.GptBigCode;
import dev.headroom.model.family.seq2seq.T5;
import dev.headroom.model.family.speech.Whisper;
import dev.headroom.model.family.statespace.Mamba;
import dev.headroom.model.family.text.Cohere;
import dev.headroom.model.family.text.DeepSeek;
import dev.headroom.model.family.text.Gemma;
import dev.headroom.model.family.text.Glm;
import dev.headroom.model.family.text.Gpt2;
import dev.headroom.model.family.text.GptJ;
import dev.headroom.model.family.text.GptNeoX;
import dev.headroom.model.family.text.GptOss;
import dev.headroom.model.family.text.Granite;
import dev.headroom.model.family.text.Llama;
import dev.headroom.model.family.text.Mistral;
import dev.headroom.model.family.text.Mixtures;
import dev.headroom.model.family.text.Nemotron;
import dev.headroom.model.family.text.Olmo;
import dev.headroom.model.family.text.Olmo2;
import dev.headroom.model.family.text.Opt;
import dev.headroom.model.family.text.Phi;
import dev.headroom.model.family.text.Phi3;
import dev.headroom.model.family.text.Qwen;
import dev.headroom.model.family.text.Relatives;
import dev.headroom.model.family.text.SmolLm3;
import dev.headroom.model.family.text.StableLm;
import dev.headroom.model.family.text.StarCoder2;
import dev.headroom.model.family.vision.Clip;
import dev.headroom.model.family.vision.Gemma3;
import dev.headroom.model.family.vision.Llava;
import dev.headroom.model.family.vision.PaliGemma;
import dev.headroom.model.family.vision.QwenVl;
import dev.headroom.model.family.vision.Vit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The table of families: what a config's {@code model_type} stands for. */
public final class Families {
    /**
     * A row.
     *
     * @param modelType in configs
     * @param name for people
     * @param model the model of a request
     */
    public record Family(String modelType, String name, Function<Request, Layer> model) {}

    private static final List<Family> DECODERS = List.of(
            new Family("llama", "Llama 2 and 3, SmolLM", Llama::of),
            new Family("mistral", "Mistral", Mistral::of),
            new Family("qwen2", "Qwen 2 and 2.5", Qwen::two),
            new Family("qwen3", "Qwen 3", Qwen::three),
            new Family("smollm3", "SmolLM 3", SmolLm3::of),
            new Family("granite", "Granite 3", Granite::of),
            new Family("granitemoe", "Granite 3, experts", Granite::mixture),
            new Family("gemma", "Gemma", Gemma::one),
            new Family("gemma2", "Gemma 2", Gemma::two),
            new Family("gemma3_text", "Gemma 3, text", Gemma::three),
            new Family("phi3", "Phi 3, 3.5 and 4 mini", Phi3::of),
            new Family("phi", "Phi 1, 1.5 and 2", Phi::of),
            new Family("glm", "GLM 4, its first version", Glm::one),
            new Family("glm4", "GLM 4", Glm::four),
            new Family("glm4_moe", "GLM 4.5 and 4.6", Glm::mixture),
            new Family("cohere", "Command R, Aya", Cohere::one),
            new Family("cohere2", "Command R7B and A", Cohere::two),
            new Family("nemotron", "Nemotron 4, Minitron", Nemotron::of),
            new Family("stablelm", "StableLM", StableLm::of),
            new Family("starcoder2", "StarCoder 2", StarCoder2::of),
            new Family("olmo", "OLMo", Olmo::one),
            new Family("olmo2", "OLMo 2", Olmo2::of),
            new Family("olmo3", "OLMo 3", Olmo::three),
            new Family("arcee", "Arcee AFM", Relatives::arcee),
            new Family("ministral", "Ministral", Relatives::ministral),
            new Family("seed_oss", "Seed-OSS", Relatives::seed),
            new Family("exaone4", "EXAONE 4", Relatives::exaone),
            new Family("llama4_text", "Llama 4, text", Llama4::text),
            new Family("mixtral", "Mixtral", Mixtures::mixtral),
            new Family("qwen2_moe", "Qwen 1.5 and 2, experts", Mixtures::qwen2),
            new Family("olmoe", "OLMoE", Mixtures::olmoe),
            new Family("qwen3_moe", "Qwen 3, experts", Mixtures::qwen3),
            new Family("gpt_oss", "gpt-oss", GptOss::of),
            new Family("deepseek_v3", "DeepSeek V3 and R1", DeepSeek::three));

    private static final List<Family> OTHERS = List.of(
            new Family("gpt2", "GPT-2", Gpt2::of),
            new Family("gpt_bigcode", "StarCoder, SantaCoder", GptBigCode::of),
            new Family("gptj", "GPT-J", GptJ::of),
            new Family("gpt_neox", "GPT-NeoX, Pythia", GptNeoX::of),
            new Family("opt", "OPT", Opt::of),
            new Family("falcon", "Falcon", Falcon::of),
            new Family("bloom", "BLOOM", Bloom::of),
            new Family("mamba", "Mamba", Mamba::one),
            new Family("mamba2", "Mamba 2", Mamba::two),
            new Family("falcon_mamba", "Falcon Mamba", Mamba::falcon),
            new Family("t5", "T5, FLAN-T5", T5::of),
            new Family("mt5", "mT5", T5::of),
            new Family("whisper", "Whisper", Whisper::of),
            new Family("bert", "BERT", Bert::bert),
            new Family("roberta", "RoBERTa", Bert::roberta),
            new Family("xlm-roberta", "XLM-RoBERTa", request -> Bert.relative(request, "xlm_roberta", "XLMRoberta")),
            new Family("camembert", "CamemBERT", request -> Bert.relative(request, "camembert", "Camembert")),
            new Family("distilbert", "DistilBERT", DistilBert::of),
            new Family("electra", "ELECTRA", Electra::of),
            new Family("deberta-v2", "DeBERTa V2 and V3", DebertaV2::of),
            new Family("modernbert", "ModernBERT", ModernBert::of),
            new Family("vit", "ViT", Vit::of),
            new Family("llava", "LLaVA", request -> Llava.of(request, Families::text)),
            new Family("clip", "CLIP", Clip::of),
            new Family("gemma3", "Gemma 3 with images", request -> Gemma3.of(request, Families::text)),
            new Family("paligemma", "PaliGemma and PaliGemma 2", request -> PaliGemma.of(request, Families::text)),
            new Family("llama4", "Llama 4 with images", Llama4::images),
            new Family("qwen2_vl", "Qwen 2-VL", QwenVl::two),
            new Family("qwen2_5_vl", "Qwen 2.5-VL", QwenVl::twoAndAHalf),
            new Family("qwen3_vl", "Qwen 3-VL", QwenVl::three),
            new Family("qwen3_vl_moe", "Qwen 3-VL, experts", QwenVl::mixture));

    private static final List<Family> ALL =
            Stream.of(DECODERS, OTHERS).flatMap(List::stream).toList();

    private Families() {}

    private static Layer text(Request request) {
        String type = request.config().modelType();
        return find(type)
                .orElseThrow(() -> new UserInputException(request.config().source()
                        + ": Headroom has no family for model_type " + type + "; export the model instead"))
                .model()
                .apply(request);
    }

    /** All, in the table's order. */
    public static List<Family> all() {
        return ALL;
    }

    /** The one of a {@code model_type}. */
    public static Optional<Family> find(String modelType) {
        return ALL.stream().filter(f -> f.modelType().equals(modelType)).findFirst();
    }
}
