package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.AdapterSettings.LORA;
import static dev.headroom.model.scenario.AdapterSettings.TARGETS;
import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.QuantSettings.DOUBLE_QUANT;
import static dev.headroom.model.scenario.QuantSettings.QUANT;

import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** What people change who fine-tune a language model: fewer weights to train, fewer bits for the rest, shorter texts. */
final class FineTuningChanges {
    /** Which weights are trained. */
    static final String KIND = "adapters";

    /** What frozen weights are kept in. */
    static final String BITS = "quantisation";

    /** How long texts are. */
    static final String LENGTH = "sequence";

    private static final int RANK = 16;
    private static final int LEAST_RANK = 8;
    private static final long SHORTEST = 256;
    private static final List<String> ALL = List.of("all-linear");

    static final List<CatalogueEntry> ENTRIES = List.of(
            CatalogueEntry.of(s -> lowerRank(s.run())).when(s -> s.trains() && rank(s.run()) > LEAST_RANK),
            CatalogueEntry.of(s -> lora())
                    .when(s -> s.tunes() && !s.run().adapters().any()),
            CatalogueEntry.of(s -> quantised(s.run()))
                    .when(s -> s.tunes() && !s.run().quant().any()),
            CatalogueEntry.of(s -> shorter(s.run())).when(s -> s.trains() && length(s.run()) >= 2 * SHORTEST));

    private FineTuningChanges() {}

    private static int rank(Scenario run) {
        Integer rank = run.adapters().lora();
        return rank == null ? 0 : rank;
    }

    private static long length(Scenario run) {
        Long tokens = run.model().seq();
        return tokens == null ? 0 : tokens;
    }

    private static Change lowerRank(Scenario run) {
        int rank = Math.max(LEAST_RANK, rank(run) / 2);
        return tuning(KIND, "LoRA of rank " + rank, r -> r.with(LORA, rank))
                .withCode("config = LoraConfig(r=" + rank + ", ...)  # the rest as it is")
                .withEffect("adapters have " + rank + " directions each instead of " + rank(run));
    }

    private static Change lora() {
        return tuning(KIND, "LoRA of rank " + RANK, r -> r.with(LORA, RANK).with(TARGETS, ALL))
                .withCode(adapters())
                .withEffect("only adapters are trained, the model's weights stay as they are; tune the learning rate");
    }

    private static Change quantised(Scenario run) {
        boolean adapted = run.adapters().any();
        List<String> code = new ArrayList<>(List.of(
                "from peft import prepare_model_for_kbit_training",
                "from transformers import BitsAndBytesConfig",
                "quantised = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"nf4\",",
                "                               bnb_4bit_use_double_quant=True,",
                "                               bnb_4bit_compute_dtype=torch.bfloat16)",
                "model = AutoModelForCausalLM.from_pretrained(name, quantization_config=quantised, device_map=\"auto\")",
                "model = prepare_model_for_kbit_training(model)"));
        code.addAll(adapted ? List.of() : adapters());
        return tuning(BITS, adapted ? "weights in 4 bits" : "weights in 4 bits, LoRA of rank " + RANK, r -> (adapted
                                ? r
                                : r.with(LORA, RANK).with(TARGETS, ALL))
                        .with(QUANT, QuantKind.NF4)
                        .with(DOUBLE_QUANT, true))
                .withCode(code)
                .withEffect("the linear layers' frozen weights are rounded to 4 bits (NF4) and restored for each use,"
                        + " which takes time");
    }

    private static List<String> adapters() {
        return List.of(
                "from peft import LoraConfig, get_peft_model",
                "model = get_peft_model(model, LoraConfig(r=" + RANK
                        + ", target_modules=\"all-linear\", task_type=\"CAUSAL_LM\"))");
    }

    private static Change shorter(Scenario run) {
        long tokens = length(run) / 2;
        return tuning(LENGTH, "sequences of " + tokens + " tokens", r -> r.with(SEQ, tokens))
                .withCode(
                        run.trainer().loop().isTrainer()
                                ? "args = SFTConfig(max_length=" + tokens + ", ...)  # the rest as it is"
                                : "batch = tokenizer(texts, truncation=True, max_length=" + tokens + ", ...)")
                .withEffect("texts are cut after " + tokens + " tokens instead of " + length(run));
    }

    private static Change tuning(String kind, String title, UnaryOperator<Scenario> edit) {
        return Change.free(kind, title, edit).withIntrusion(Intrusion.TUNING);
    }
}
