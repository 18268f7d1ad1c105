package dev.headroom.validation.executed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.importer.Importers;
import dev.headroom.validation.RecordedRun;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains of torchvision's modules that are cut into checkpoints, whose values the executor drops when PyTorch does. */
class CheckpointsOnTheExecutorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "resnet50-b32-adamw-ckpt4",
                "resnet50-b32-adamw-ckpt4-nonreentrant",
                "resnet101-b8-adamw-ckpt5-inputgrad",
                "vgg16-b16-adamw-ckpt3-reentrant",
            })
    void everyPhaseIsPyTorchs(String name) {
        Recording recording = Recording.read(Fixtures.recordings().resolve(name + ".json.gz"));
        var graph = Importers.read(
                new RecordedRun(recording).archive(Fixtures.models()).orElseThrow());
        ExecutedRecording run = ExecutedRecording.of(name, recording, graph);
        assertEquals("", run.refusal());
        assertEquals("", run.difference());
    }
}
