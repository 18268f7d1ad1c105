package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What helps before a prediction: completion and export snippets. */
class ShellHelpTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return new Cli(Services.REAL, false).run(new PrintWriter(out), new PrintWriter(err), args);
    }

    @Test
    void completionKnowsCommandsOptionsAndValues() {
        assertEquals(0, run("completion"));
        String script = out.toString();
        for (String word : new String[] {"predict", "--cudnn-workspace", "rtx-4090", "sgd-momentum", "bf16"}) {
            assertTrue(script.contains(word), word);
        }
    }

    @Test
    void theManualTellsOfEveryOption() {
        assertEquals(0, run("man"));
        String page = out.toString();
        assertTrue(page.startsWith(".TH HEADROOM 1 "), page);
        for (String word : new String[] {"HEADROOM PREDICT", "\\-\\-checkpoint\\-modules=PATTERN", "HEADROOM MAN"}) {
            assertTrue(page.contains(word), word);
        }
        assertFalse(page.contains("@|"), "mark-up of the parser");
    }

    @ParameterizedTest
    @CsvSource({
        "torchvision, resnet50, '', get_model(\"resnet50\")",
        "timm, vit_base_patch16_224, '', create_model(\"vit_base_patch16_224\")",
        "transformers, openai-community/gpt2, '', AutoModelForCausalLM",
        "transformers, google-t5/t5-small, seq2seq-lm, AutoModelForSeq2SeqLM",
        "transformers, bert-base-cased, masked-lm, AutoModelForMaskedLM",
        "transformers, bert-base-cased, sequence-classification, problem_type",
        "transformers, google/vit-base-patch16-224, image-classification, pixel_values",
    })
    void snippetsNameTheModelAndLeaveNothingOpen(String library, String name, String head, String part) {
        int status =
                head.isEmpty() ? run("export-help", library, name) : run("export-help", library, name, "--head", head);
        assertEquals(0, status, err::toString);
        String text = out.toString();
        assertTrue(text.contains(part), text);
        assertTrue(text.contains("\"" + name + "\""), text);
        assertTrue(text.contains("\"" + name.substring(name.indexOf('/') + 1) + ".pt2\""), text);
        assertFalse(text.matches("(?s).*\\{(name|size|file)}.*"), text);
    }

    @ParameterizedTest
    @CsvSource({
        "torchvison resnet50, did you mean 'torchvision'",
        "torchvision resnet50 --head causal-lm, only models of transformers",
        "timm resnet26d --size 100, their own image size",
        "transformers gpt2 --size 0, --size",
        "transformers gpt2 --head causal, did you mean 'causal-lm'",
        "torchvision x\"y, is no model's name",
    })
    void refusesWhatCannotBe(String args, String reason) {
        assertEquals(2, run(("export-help " + args).split(" ")));
        assertTrue(err.toString().contains(reason), err::toString);
        assertEquals(1, err.toString().lines().count());
    }
}
