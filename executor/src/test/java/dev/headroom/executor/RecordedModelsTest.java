package dev.headroom.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.PhaseMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models at full size: every phase of every step shows what the real PyTorch's allocator showed, to the byte. */
class RecordedModelsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "resnet18-b128-none",
                "resnet18-b32-sgd",
                "resnet50-b32-adam",
                "resnet50-b32-sgd",
                "resnet50-b32-adamw-cl",
                "resnet50-b32-inference",
                "resnet101-b16-adam",
                "vgg16-b32-adamw",
                "densenet169-b8-512-adam",
                "densenet169-b1-512-adam",
                "unet-b1-256-adam",
                "unet-b4-256-adamw",
                "mobilenet_v2-b64-sgdm",
                "mobilenet_v3_large-b64-adamw",
                "efficientnet_b0-b32-adamw",
                "efficientnet_b0-b16-adamw-bf16",
                "mnasnet1_0-b300-86-sgd",
                "regnet_x_400mf-b64-adamw",
                "cnn-small-b100-adam",
                "cnn-full-b100-adam",
                "resnet18-b128-amp16-none",
                "resnet50-b32-adamw-amp16",
                "resnet50-b32-adamw-ampbf16",
                "resnet50-b32-adamw-bf16",
                "resnet50-b16-adamw-fused-amp16",
                "resnet50-b32-adamw-acc4",
                "resnet50-b32-adamw-keepgrad",
                "resnet50-b32-adamw-foreach-false",
                "resnet50-b32-adamw-fused",
                "resnet50-b32-adamw-split128",
                "resnet50-b32-adamw-expandable",
                "resnet50-b32-adafactor",
                "resnet50-b32-adagrad",
                "resnet50-b32-rmsprop",
                "resnet50-b32-sgdm",
                "resnet50-b32-adamw",
                "resnet50-b48-adamw",
                "resnet50-b32-inference-ampbf16",
                "vgg16-b16-adamw-bf16",
                "cnn-full-b100-fp16-adam",
                "cnn-full-b1-acc100-adam",
                "convnext_tiny-b32-adamw",
                "convnext_tiny-b16-adamw-ampbf16",
                "mlp-xor-plain",
                "bert-base-b8-256-sgd-amp16",
                "gpt2-b8-512-adamw-ampbf16",
                "gpt2-b8-512-sgd-acc2",
                "vit_b_16-b32-adamw-ampbf16",
                "distilgpt2-b16-512-adafactor",
                "efficientnet_b0-b16-adamw-bf16",
                "pythia-160m-b4-512-adamw-bf16",
                "llama-1b-like-b1-2048-adamw-bf16",
                "qwen2-0.5b-b2-512-adamw-bf16",
                "opt-350m-b4-512-sgd",
                "gpt2-b8-512-adamw",
                "gpt2-b8-512-adamw-eager",
                "gpt2-b4-1024-adamw-expandable",
                "gpt2-medium-b4-512-adamw",
                "bert-base-b16-256-adamw",
                "bert-base-cls-b32-128-adamw",
                "vit_b_16-b32-adamw",
                "swin_t-b32-adamw",
                "opt-125m-b8-512-adamw",
                "pythia-160m-b8-512-adamw",
                "seq2seq-gru-b80-adam",
            })
    void allocatorShowsWhatPyTorchShows(String name) {
        Recording recording = Recording.read(Fixtures.recordings().resolve(name + ".json.gz"));
        List<PhaseMemory> phases = Recorded.replay(recording);
        List<String> recorded = lines(recording);
        List<String> shown = lines(phases);
        for (int i = 0; i < Math.min(recorded.size(), shown.size()); i++) {
            assertEquals(recorded.get(i), shown.get(i));
        }
        assertEquals(recorded.size(), shown.size());
    }

    private static List<String> lines(Recording recording) {
        List<String> out = new ArrayList<>();
        for (Recording.Phase p : recording.phases()) {
            out.add(line(p.label(), p.allocated(), p.maxAllocated(), p.reserved(), p.maxReserved()));
        }
        return out;
    }

    private static List<String> lines(List<PhaseMemory> phases) {
        List<String> out = new ArrayList<>();
        for (PhaseMemory p : phases) {
            out.add(line(p.moment().label(), p.allocated(), p.maxAllocated(), p.reserved(), p.maxReserved()));
        }
        return out;
    }

    private static String line(String label, long allocated, long maxAllocated, long reserved, long maxReserved) {
        return label + ": allocated " + allocated + " (most " + maxAllocated + "), reserved " + reserved + " (most "
                + maxReserved + ")";
    }
}
