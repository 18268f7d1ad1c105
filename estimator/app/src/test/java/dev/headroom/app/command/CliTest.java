package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.report.Predictions;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CliTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private PredictionRequest asked;
    private Function<PredictionRequest, Prediction> answer = request -> Predictions.fitting(request.scenario());

    @Test
    void passesEveryOptionOn() {
        int status = run("predict m.pt2 --batch 48 --dim seq=512 --dim k=3 --optimizer sgd-momentum --foreach false"
                + " --dtype bf16 --amp bf16 --loss cross-entropy --checkpoint 4 --reentrant false --accumulate 2"
                + " --steps 5 --zero-grad-keep --channels-last --cudnn-benchmark --cudnn-workspace 64MiB"
                + " --attention flash --input-grad --drop-outputs --alloc-conf max_split_size_mb:128 --torch 2.6"
                + " --gpu a100-40gb --memory 39GiB --in-use 1GiB --limit 30GB --json");
        assertEquals(0, status, err::toString);
        Scenario run = asked.scenario();
        assertEquals(48, run.sizes().batch());
        assertEquals("{seq=512, k=3}", run.sizes().dims().toString());
        assertEquals(OptimizerKind.SGD_MOMENTUM, run.optimizer().kind());
        assertEquals(Scenario.Foreach.FALSE, run.optimizer().foreach());
        assertEquals(DType.BFLOAT16, run.precision().dtype());
        assertEquals(DType.BFLOAT16, run.precision().amp());
        assertEquals(LossKind.CROSS_ENTROPY, run.loop().loss());
        assertEquals(4, run.checkpointing().segments());
        assertEquals(false, run.checkpointing().reentrant());
        assertEquals(2, run.loop().accumulate());
        assertEquals(5, run.loop().steps());
        assertTrue(run.loop().zeroGradKeep()
                && run.kernels().channelsLast()
                && run.kernels().cudnnBenchmark()
                && run.loop().inputGrad()
                && run.loop().dropOutputs());
        assertEquals(64L << 20, run.kernels().cudnnWorkspace().bytes());
        assertEquals(Scenario.Attention.FLASH, run.kernels().attention());
        assertEquals("max_split_size_mb:128", run.allocConf());
        assertEquals("2.6", run.torch().toString());
        assertEquals("a100-40gb", asked.device().gpu().name());
        assertEquals(39L << 30, asked.device().memory());
        assertEquals(1L << 30, asked.device().inUse());
        assertEquals(30_000_000_000L, asked.device().limit());
    }

    @Test
    void takesPyTorchsDefaults() {
        assertEquals(0, run("predict m.pt2 --json"));
        Scenario run = asked.scenario();
        assertNull(run.sizes().batch());
        assertEquals(OptimizerKind.ADAMW, run.optimizer().kind());
        assertNull(run.precision().dtype());
        assertNull(run.kernels().cudnnWorkspace().bytes());
        assertEquals(LossKind.AUTO, run.loop().loss());
        assertEquals(3, run.loop().steps());
        assertNull(asked.device().gpu());
    }

    @Test
    void workspaceNoneIsZero() {
        assertEquals(0, run("predict m.pt2 --cudnn-workspace none --json"));
        assertEquals(0L, asked.scenario().kernels().cudnnWorkspace().bytes());
    }

    @Test
    void workspaceNamesWhoIsAsked() {
        assertEquals(0, run("predict m.pt2 --cudnn-workspace distilled --json"));
        assertNull(asked.scenario().kernels().cudnnWorkspace().bytes());
        assertEquals(
                Scenario.Workspaces.DISTILLED,
                asked.scenario().kernels().cudnnWorkspace().source());
        assertEquals(0, run("predict m.pt2 --json"));
        assertEquals(
                Scenario.Workspaces.AUTO,
                asked.scenario().kernels().cudnnWorkspace().source());
        assertEquals(2, run("predict m.pt2 --cudnn-workspace guessed --json"));
    }

    @Test
    void jsonHasNothingBesideIt() {
        assertEquals(0, run("predict m.pt2 --json"));
        assertTrue(out.toString().startsWith("{\"model\":\"resnet50\"")
                && out.toString().endsWith("}\n"));
        assertEquals("", err.toString());
    }

    @Test
    void exitStatusSaysWhetherItFits() {
        assertEquals(0, run("predict m.pt2"));
        answer = request -> Predictions.deviceless(request.scenario());
        assertEquals(0, run("predict m.pt2"));
        answer = request -> Predictions.failing(request.scenario());
        assertEquals(3, run("predict m.pt2 --json"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "predict|MODEL",
                "predct m.pt2|did you mean 'predict'?",
                "predict m.pt2 --per_device_train_batch_size 4|here it is '--batch'",
                "predict m.pt2 --load-in-4bit|here it is '--quant nf4'",
                "predict m.pt2 --optimzer adam|unknown option '--optimzer'; did you mean '--optimizer'?",
                "predict m.pt2 --optimizer adamww|did you mean 'adamw'?",
                "predict m.pt2 --optimizer lion|it takes sgd, sgd-momentum, adam,",
                "predict m.pt2 --gpu rtx3098|did you mean 'rtx-3090'?",
                "predict m.pt2 --gpu v100|may be v100-32gb or v100-16gb; name one of them",
                "predict m.pt2 --gpu 8xh100|are 8 cards; write --gpu h100 --parallel fsdp2 --world 8",
                "predict m.pt2 --memory 24|--memory: 24 has no unit and would be bytes; write 24GiB",
                "predict m.pt2 --gpu cray-1|'headroom devices' lists all",
                "predict m.pt2 other.pt2|unexpected argument 'other.pt2'",
                "predict m.pt2 --batch|--batch needs a value",
                "predict m.pt2 --batch 0|--batch: 0 is out of range",
                "predict m.pt2 --batch -4|--batch: -4 is out of range",
                "predict m.pt2 --batch 1e3|--batch: '1e3' is not a whole number",
                "predict m.pt2 --batch 99999999999999999999|out of range",
                "predict m.pt2 --batch 3 --batch 4|only once",
                "predict m.pt2 --dim seq|write it like --dim seq=512",
                "predict m.pt2 --dim seq=0|--dim seq: 0 is out of range",
                "predict m.pt2 --dim a=1 --dim a=2|given twice",
                "predict m.pt2 --dtype fp64|'fp64' is not known",
                "predict m.pt2 --steps 0|--steps: 0 is out of range",
                "predict m.pt2 --steps 1000000|--steps: 1000000 is out of range",
                "predict m.pt2 --accumulate 0|--accumulate: 0 is out of range",
                "predict m.pt2 --steps 1000 --accumulate 1000|--steps 3 is enough",
                "predict m.pt2 --checkpoint 0|--checkpoint: 0 is out of range",
                "predict m.pt2 --fused --foreach true|cannot be combined",
                "predict m.pt2 --quant nf4|cannot be trained in full",
                "predict m.pt2 --inference --quant int8 --double-quant|only the scales of --quant nf4 and fp4",
                "predict m.pt2 --no-kbit-prepare|only a run with --quant prepares its model",
                "predict m.pt2 --lora 8 --quant nf4 --parallel fsdp2 --world 2|is not modelled with --parallel fsdp2",
                "predict m.pt2 --lora 8 --quant nf4 --parallel fsdp1 --world 2 --loop sft|add --no-kbit-prepare",
                "predict m.pt2 --loop sft --parallel tp --world 2|the Trainer runs under dp, ddp, fsdp1",
                "predict m.pt2 --fused --optimizer rmsprop|no fused CUDA kernel",
                "predict m.pt2 --amp fp16 --dtype fp16|GradScaler",
                "predict m.pt2 --memory 24GX|--memory: '24GX' is not a size",
                "predict m.pt2 --memory 0|--memory: must be more than zero",
                "predict m.pt2 --memory 99999999TiB|more than 8 EiB",
                "predict m.pt2 --memory 24TiB|--memory: 24TiB is more than any device has",
                "predict m.pt2 --in-use 1GiB|--in-use needs a device",
                "predict m.pt2 --memory 1GiB --in-use 2GiB|--in-use: 2GiB is more than the device's",
                "predict m.pt2 --memory 1GiB --limit 2GiB|--limit: 2GiB is more than the device's",
                "predict m.pt2 --alloc-conf nonsense:1|--alloc-conf",
                "predict m.pt2 --torch newest|write it like 2.14",
                "predict m.pt2 --json=maybe|--json",
                "devices extra|unexpected argument 'extra'",
            })
    void refusesInOneLine(String arguments, String part) {
        assertEquals(2, run(arguments), err::toString);
        assertEquals("", out.toString());
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().startsWith("headroom: ") && err.toString().contains(part), err::toString);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--inference", "--optimizer none", "--foreach auto", "--reentrant auto", "--checkpoint none"})
    void acceptsWhatCanBe(String options) {
        assertEquals(0, run("predict m.pt2 --json --amp fp16 " + options), err::toString);
    }

    @Test
    void noArgumentsShowTheWay() {
        assertEquals(2, new Cli(engine(), false).run(new PrintWriter(out), new PrintWriter(err)));
        assertTrue(err.toString().startsWith("headroom: no command given; try"));
    }

    @Test
    void whatHasNoEffectIsSaid() {
        assertEquals(0, run("predict m.pt2 --inference --optimizer adam --reentrant true --json"));
        assertTrue(out.toString().contains("--optimizer has no effect with --inference"));
        assertTrue(out.toString().contains("--reentrant has no effect without --checkpoint"));
    }

    @Test
    void badInputOfTheModelIsOneLineToo() {
        answer = request -> {
            throw new UserInputException("m.pt2: the archive\nis cut off");
        };
        assertEquals(2, run("predict m.pt2"));
        assertEquals("headroom: m.pt2: the archive is cut off\n", err.toString());
    }

    @Test
    void aDefectIsOneLineWithAHint() {
        answer = request -> {
            throw new IllegalStateException("oops");
        };
        assertEquals(1, run("predict m.pt2"));
        assertEquals(1, err.toString().lines().count());
        assertTrue(err.toString().contains("IllegalStateException")
                && err.toString().contains("HEADROOM_DEBUG=1"));
    }

    @Test
    void whatIsNestedTooDeeplyForTheStackIsInput() {
        answer = request -> {
            throw new StackOverflowError();
        };
        assertEquals(2, run("predict m.pt2"));
        assertEquals(1, err.toString().lines().count());
    }

    @Test
    void layersAreListedWithTheirSums() {
        assertEquals(0, run("predict m.pt2 --layers"));
        assertEquals(22, out.toString().lines().count());
        assertTrue(out.toString()
                .lines()
                .reduce((a, b) -> b)
                .orElseThrow()
                .matches("total +0\\.1 +0\\.1 +0\\.2 +190\\.0 +380\\.0"));
    }

    @Test
    void operatorsAreListedWithWhatVerifiesThem() {
        assertEquals(0, run("operators"));
        assertTrue(out.toString().contains("aten.conv2d"), out.toString());
        assertTrue(out.toString().contains("operators verified against the real PyTorch"), out.toString());
        String listed = out.toString();
        assertTrue(listed.lines().anyMatch(l -> l.matches(" +aten\\.conv2d +host cuda +\\d+ cases.*")), listed);
        assertTrue(listed.lines().anyMatch(l -> l.matches(" +aten\\.det +host .*")), listed);
        assertTrue(listed.lines().anyMatch(l -> l.matches(" +aten\\.linalg_svd +memory .*")), listed);
        assertTrue(listed.lines().anyMatch(l -> l.matches(" +inductor\\.call +- .*")), listed);
    }

    @Test
    void devicesAreListedForPeopleAndPrograms() {
        assertEquals(0, run("devices"));
        assertTrue(out.toString().contains("rtx-3090         NVIDIA GeForce RTX 3090      24268   8.6   82"));
        assertEquals(0, run("devices --json"));
        assertTrue(out.toString().contains("{\"name\":\"h200\",\"title\":\"NVIDIA H200\",\"memory\":"));
    }

    private Services engine() {
        return new Services(path -> null, request -> {
            asked = request;
            return answer.apply(request);
        });
    }

    private int run(String arguments) {
        return new Cli(engine(), false).run(new PrintWriter(out), new PrintWriter(err), arguments.split(" "));
    }
}
