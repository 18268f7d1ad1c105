package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedRunTest {
    @TempDir
    Path models;

    @Test
    void readsEveryOptionOfTheRecorder() throws JsonProcessingException {
        Scenario run = run("""
                {"config": {"model": "cnn-small", "batch": 7, "optimizer": "sgd-momentum", "foreach": "false",
                 "fused": true, "dtype": "fp16", "amp": "bf16", "checkpoint": "4", "reentrant": "false",
                 "accumulate": 2, "steps": 5, "set_to_none": false, "channels_last": true, "cudnn_benchmark": true,
                 "sdp": "efficient", "input_grad": true, "drop_outputs": true, "inference": true,
                 "alloc_conf": "expandable_segments:True"},
                 "null_libraries": true, "environment": {}, "versions": {"torch": "2.6.1+cu130"}}""").training();
        assertEquals(7, run.sizes().batch());
        assertEquals(OptimizerKind.SGD_MOMENTUM, run.optimizer().kind());
        assertEquals(Scenario.Foreach.FALSE, run.optimizer().foreach());
        assertEquals(DType.FLOAT16, run.precision().dtype());
        assertEquals(DType.BFLOAT16, run.precision().amp());
        assertEquals(LossKind.MSE, run.loop().loss());
        assertEquals(4, run.checkpointing().segments());
        assertEquals(false, run.checkpointing().reentrant());
        assertEquals(2, run.loop().accumulate());
        assertEquals(5, run.loop().steps());
        assertTrue(run.optimizer().fused()
                && run.loop().zeroGradKeep()
                && run.kernels().channelsLast()
                && run.kernels().cudnnBenchmark());
        assertTrue(
                run.loop().inputGrad() && run.loop().dropOutputs() && run.loop().inference());
        assertEquals(Scenario.Attention.EFFICIENT, run.kernels().attention());
        assertEquals("expandable_segments:True", run.allocConf());
        assertEquals(0L, run.kernels().cudnnWorkspace().bytes());
        assertEquals("2.6", run.torch().toString());
    }

    @Test
    void workspacesAreKnownOnlyWithoutTheRealCudnn() throws JsonProcessingException {
        assertNull(run("""
                {"config": {}, "null_libraries": true, "environment": {"NULLCUDA_CUDNN": "heuristics"}}""").training().kernels().cudnnWorkspace().bytes());
        assertNull(run("""
                {"config": {}, "null_libraries": false, "environment": {}}""").training().kernels().cudnnWorkspace().bytes());
        assertEquals(4096L, run("""
                {"config": {}, "null_libraries": true, "environment": {"NULLCUDA_CUDNN_WORKSPACE_BYTES": "4096"}}""").training().kernels().cudnnWorkspace().bytes());
    }

    @Test
    void findsTheArchiveOfTheSize() throws IOException {
        for (String name : List.of("net-i224", "net-s512", "net-s512-eager", "net-i224-eval", "plain")) {
            Files.createFile(models.resolve(name + ".pt2"));
        }
        assertEquals("net-i224.pt2", archive("net", 224, 1, "default", false));
        assertEquals("net-s512.pt2", archive("net", 86, 512, "default", false));
        assertEquals("net-s512-eager.pt2", archive("net", 86, 512, "eager", false));
        assertEquals("net-i224-eval.pt2", archive("net", 224, 1, "default", true));
        assertEquals("plain.pt2", archive("plain", 224, 512, "default", false));
        assertEquals("", archive("other", 224, 512, "default", false));
    }

    @Test
    void findsTheArchiveInTheFolderThatOneIsIn() throws IOException {
        RecordedRun run = run("""
                {"scenario": {}, "archive": "pom.xml"}""");
        assertEquals(Path.of("pom.xml"), run.archive(Path.of(".")).orElseThrow().normalize());
    }

    @Test
    void takesTheDeviceOfTheRecording() {
        Recording recording = Recording.read(Fixtures.recordings().resolve("resnet18-b32-sgd.json.gz"));
        PredictionRequest request =
                new RecordedRun(recording).request(Fixtures.models().resolve("resnet18-i224.pt2"));
        assertEquals("NVIDIA H200", request.device().gpu().title());
        assertEquals(9, request.device().gpu().major());
        assertEquals(132, request.device().gpu().sms());
        assertEquals(143771L << 20, request.device().memory());
        assertNull(request.device().limit());
    }

    private String archive(String model, int size, int seq, String attention, boolean inference)
            throws JsonProcessingException {
        String config = String.format(
                "{\"config\": {\"model\": \"%s\", \"image_size\": %d, \"seq\": %d, \"attention\": \"%s\", \"inference\": %b}}",
                model, size, seq, attention, inference);
        return run(config)
                .archive(models)
                .map(path -> path.getFileName().toString())
                .orElse("");
    }

    private static RecordedRun run(String json) throws JsonProcessingException {
        return new RecordedRun(new Recording(Path.of("made-up.json.gz"), new ObjectMapper().readTree(json), List.of()));
    }
}
