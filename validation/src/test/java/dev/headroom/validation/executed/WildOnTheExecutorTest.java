package dev.headroom.validation.executed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How much of the models in the wild the executor runs, and how often its memory is PyTorch's to the byte. */
class WildOnTheExecutorTest {
    /** Of the archives; what is missing is named by {@code ExecutorReport}. */
    private static final double RUN = 0.985;

    /** Of all recordings. */
    private static final double EQUAL = 0.98;

    /**
     * One recording for each thing that the executor once did otherwise: names that no line assigns, functions out of
     * sight, popped lists, sliced containers, literals on the device, types of 16 bits, layouts of volumes,
     * deterministic attention, normalised weights; layouts that strides leave open and that joined gradients have;
     * gradients that are summed and cast; modules that a statement calls twice, lists that loops begin anew, states
     * that nobody reads; literals with a device, lists of places; attributes and buffers that outlive a pass, a loss
     * that is part of the program; bodies that are given sizes, ellipses, statistics of turned inputs, checkpoints that
     * the program makes, sparse gradients of embeddings; operands and arguments on lines of their own.
     */
    private static final Set<String> KNOWN = Set.of(
            "swinish-amp",
            "simclr-amp",
            "sdunet-amp",
            "hifigan",
            "adm-unet-amp",
            "const-dev-bf16",
            "kan-bf16",
            "txl-bf16",
            "rwkv-bf16",
            "flux-amp",
            "vnet-cl3d",
            "detformer-ampdet",
            "egnn",
            "tcn-amp",
            "sn-disc",
            "up-single-cl",
            "restormer-amp",
            "involution-amp",
            "roihead-amp",
            "bpr",
            "crf",
            "densemini",
            "convlstm",
            "cyclegan",
            "tensorf",
            "pna",
            "widedeep",
            "live-literals",
            "live-literals-amp",
            "live-looked",
            "live-noisy",
            "live-deep",
            "dpo-alibi",
            "performer-axial",
            "folding-chamfer-amp",
            "convmixer-pose-bf16",
            "splat2d",
            "ckpt-own-function-amp",
            "ckpt-own-reentrant-amp",
            "ckpt-inner-function",
            "ckpt-dense-closure",
            "ckpt-sequential-residual",
            "deepfm-sparse-sgd",
            "sparse-rec-sgd",
            "ldm-vpred",
            "live-bounding",
            "live-cluster-ae",
            "live-cluster-ae-amp",
            "live-lift-splat",
            "moco-queue");

    @Test
    void mostArchivesRunAndMostRunsAreEqual() {
        Path wild = Fixtures.folder().resolve("wild");
        Map<Path, List<ExecutedRecording>> byArchive = ExecutorReport.run(wild, wild);
        List<ExecutedRecording> runs =
                byArchive.values().stream().flatMap(List::stream).toList();
        long ran = byArchive.values().stream()
                .filter(rs -> rs.stream().allMatch(ExecutedRecording::ran))
                .count();
        long equal = runs.stream().filter(ExecutedRecording::equal).count();
        for (ExecutedRecording r : runs) {
            assertTrue(!KNOWN.contains(r.name()) || r.equal(), r.name() + ": " + r.refusal() + r.difference());
        }
        assertTrue(ran >= RUN * byArchive.size(), ran + " of " + byArchive.size() + " archives run");
        assertTrue(equal >= EQUAL * runs.size(), equal + " of " + runs.size() + " recordings equal");
    }
}
