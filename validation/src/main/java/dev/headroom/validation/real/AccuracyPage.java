package dev.headroom.validation.real;

import dev.headroom.model.error.Unwritable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/** {@code docs/accuracy.md} and its plots. */
public final class AccuracyPage {
    private static final double[] EDGES = {-1, -0.2, -0.1, -0.05, -0.02, -0.01, 0, 0.01, 0.02, 0.05, 0.1, 0.2, 1e9};
    private static final int BAR = 60;

    private static final String UNEXPLAINED = """

            ## What is certain, and what is not

            - Of the timm rows nothing but the reading of nvidia-smi is published. FakeTensor's estimate of the same row
              counts the tensors of one step and nothing else. A run that read less did not finish a step; it ran out
              of memory for certain where those tensors exceed the card, or exceed half of it where a smaller batch read
              more. Everything else but a plain reading counts as not certain.
            - Intervals and probabilities are calibrated with xMem's runs and one run of each timm model, without
              terms for one of the sets. Perceptrons are not among them: nearly all of theirs lie on the MiB, and
              with them intervals would promise too much for other models.

            ## What is not explained yet

            - *Perceptrons*: five rows of 2,971 lie more than 4 MiB off. With segments in ascending order of addresses
              82 did; where the driver's chunks really lie depends on the host's own mappings, too.
            - *timm*: which plans `cudnn.benchmark` found fastest on that card is modelled by one rule, with workspaces
              of a later cuDNN than that of the runs. Networks of dense 3 x 3 convolutions are off by 1 to 8 %, those
              with groups of 8 to 64 channels up to 15 % too low. A few rows took 8 to 27 GB more than the next larger
              batch of the same model: a search tries every plan once, and on an H100 it took two to three times the
              run's memory for ResNet-50 (fixtures/recordings/h100); what plans it tried there is not known. Three
              models with QuickGELU, and one whose image size changed since, are 7 to 24 % too high: the
              archives are of a later timm.
            - *Ladders*: which plans cuDNN 8.3 took in half precision is not known. Beside 1650 to 1700 MiB for CUDA
              11.3's context most verdicts are right; that is the published 1687 MiB of the same card with CUDA 11.1.
            - *xMem*: MNASNet and MobileNetV2 up to batch 323 on the RTX 3060 took 1.8 MiB an image more, VGG 16 at
              batch 480 2.3 GiB less; cuDNN 9.1's choices for them are not known.
            - Cards other than these, and other versions of cuDNN, have no rows here.
            """;

    private AccuracyPage() {}

    /**
     * Writes the page, and a plot for each set beside it.
     *
     * @throws dev.headroom.model.error.UserInputException when one of them cannot be written
     */
    public static void write(RealReport report, Path file) {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            out.println("# Accuracy on real GPUs");
            out.println();
            out.println("Written by `./headroom validate --real-runs fixtures/real --accuracy docs/accuracy.md`. Others"
                    + " measured these runs, without this project in mind; `fixtures/real/README.md` says who and how."
                    + " A prediction is what PyTorch's allocator reserves, played by Headroom, plus one constant for"
                    + " each set and card (CUDA's context and libraries): nothing is adjusted to a run or a model."
                    + " Of language models it is what the allocator allocates, as measured, without any constant.");
            for (RealScore s : report.scores()) {
                section(s, file, out);
            }
            PublishedRuns.write(out);
            out.print(UNEXPLAINED);
        } catch (IOException e) {
            throw Unwritable.of("--accuracy", file, e);
        }
    }

    private static void section(RealScore s, Path file, PrintWriter out) throws IOException {
        String plot = "accuracy-" + s.set().name() + ".svg";
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        out.printf(Locale.ROOT, "%n## %s, %s%n%n", s.set().name(), s.set().gpu());
        RealReport.write(s, out);
        if (s.compared().isEmpty()) {
            return;
        }
        Files.writeString(folder.resolve(plot), ScatterPlot.of(s));
        out.printf(Locale.ROOT, "%n![predicted over measured](%s)%n%n", plot);
        double[] errors = s.errors(r -> true, s.constant());
        out.println("| error | runs | |");
        out.println("|---|---|---|");
        for (int i = 0; i + 1 < EDGES.length; i++) {
            int n = 0;
            for (double e : errors) {
                n += e >= EDGES[i] && e < EDGES[i + 1] ? 1 : 0;
            }
            String label = i == 0
                    ? "below -20 %"
                    : i + 2 == EDGES.length
                            ? "20 % and more"
                            : String.format(Locale.ROOT, "%+.0f to %+.0f %%", 100 * EDGES[i], 100 * EDGES[i + 1]);
            out.printf(Locale.ROOT, "| %s | %d | %s |%n", label, n, "#".repeat((int)
                            Math.ceil(BAR * n / (double) Math.max(1, errors.length))));
        }
    }
}
