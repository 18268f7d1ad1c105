package dev.headroom.validation.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.command.Main;
import dev.headroom.fixtures.Fixtures;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be spread over GPUs is refused in one line that says what to do; what is only doubtful is said. */
class ParallelRefusalsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String model, String options) {
        String archive = Fixtures.models().resolve(model + ".pt2").toString();
        return Main.run(
                new PrintWriter(out), new PrintWriter(err), ("predict " + archive + " --json " + options).split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt2-s512|--parallel fsdp2 --world 8 --mesh 3x2 --batch 8|3x2 has 6 ranks, not the 8",
                "gpt2-s512|--parallel tp+fsdp2 --world 7 --tp 2 --batch 8|--tp 2 does not divide the 7 ranks",
                "gpt2-s512|--parallel dp --world 8 --batch 4|it is less than --world 8",
                "gpt2-s512|--parallel tp --world 2 --batch 8|no usual plan is known",
                "configs/gpt-oss-tiny|--parallel tp --world 2 --batch 8|attention sinks",
                "llama-plain-mini-s512|--parallel tp --world 3 --batch 8|do not divide among the 3 ranks",
                "llama-plain-mini-s512|--parallel pp --world 16 --batch 8|name the first module of each further part",
                "llama-plain-mini-s512|--parallel pp --world 4 --microbatches 3 --batch 4|equal microbatches",
                "llama-plain-mini-s512|--parallel pp --world 2 --split layers.99 --batch 8|calls no module",
                "resnet50-i224|--parallel pp --world 2 --rank 0 --batch 8 --microbatches 2 --checkpoint 1|inplace",
                "t5-small-s256|--parallel pp --world 2 --batch 4 --microbatches 2|cut elsewhere with --split",
                "resnet50-i224|--parallel fsdp2 --world 2 --wrap foo --batch 8|it takes block, root",
                "resnet50-i224|--parallel ddp --world 2 --rank 2 --batch 8|the ranks of --world 2 are 0 to 1",
                "resnet50-i224|--parallel 3d --world 8 --mesh 2x4 --batch 8|needs --mesh PxDxT",
                "resnet50-i224|--parallel zero2 --world 2 --inference --batch 8|take mp, tp, fsdp2, ddp or dp",
                "small/resnet18|--parallel fsdp2 --world 2 --param-dtype bf16 --batch 8|take --amp",
                "gpt2-s512|--parallel zero2 --world 2 --param-offload --batch 8|an option of zero3",
                "gpt2-s512|--parallel fsdp2 --world 2 --batch 8 --wrap-modules GPT2Blok|or of the class 'GPT2Blok'",
                "gpt2-s512|--parallel fsdp2 --world 2 --batch 8 --wrap root --wrap-modules GPT2Block|leave one out",
                "gpt2-s512|--parallel fsdp1 --world 2 --batch 8 --wrap-modules GPT2MLP+GPT2Block|units of fsdp2",
                "gpt2-s512|--parallel fsdp2 --world 2 --batch 8 --wrap-modules GPT2Block --wrap-modules GPT2MLP|first",
                "gpt2-s512|--parallel ddp --world 2 --batch 8 --wrap-modules GPT2Block|options of fsdp1 and fsdp2",
            })
    void refusesInOneLine(String model, String options, String part) {
        assertEquals(2, run(model, options), err::toString);
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().startsWith("headroom: ") && err.toString().contains(part), err::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "small/resnet18|--parallel ddp --batch 8|name the number of GPUs with --world",
                "small/resnet18|--parallel mp --world 2 --batch 4 --microbatches 2|threads that take turns",
            })
    void saysWhatIsDoubtful(String model, String options, String part) {
        assertEquals(0, run(model, options), err::toString);
        assertTrue(out.toString().contains(part), out::toString);
    }
}
