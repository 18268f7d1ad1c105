package dev.headroom.validation.real;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.validation.trainer.FmsRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Language models in SFTTrainer, allocated bytes: columns source, model, gpus, micro_batch, method, config, precision,
 * versions, peak_bytes, extra and others. Predicted are runs on one GPU, or with FSDP on two, with packed sequences,
 * without kernels of the repository's own; of other sources' rows this says how many there are.
 */
final class TrainerRuns implements RealFile {
    private static final String GPU = "a100-80gb";
    private static final long TOKENS_A_STEP = 100 * 4096L;
    private static final Pattern VERSIONS = Pattern.compile("torch ([0-9.]+), transformers ([0-9.]+)");
    private static final Pattern TOKENS = Pattern.compile("tokens_total=\\s*([0-9]{1,18}|FAILED.*)");

    @Override
    public boolean reads(CsvRows rows) {
        return rows.has(
                "source", "gpus", "micro_batch", "method", "config", "precision", "versions", "peak_bytes", "extra");
    }

    @Override
    public RealSet set(CsvRows rows, Archives archives) {
        Gpu card = GpuCatalogue.find(GPU).orElseThrow();
        List<RealRun> runs = new ArrayList<>();
        int left = 0;
        for (CsvRows.Row row : rows.rows()) {
            Optional<FmsRow> fms = fms(row);
            if (fms.isEmpty() || !fms.get().isStock()) {
                left++;
                continue;
            }
            runs.add(run(row, fms.get()));
        }
        return new RealSet(
                "trainer",
                GPU,
                card.memory(),
                runs,
                left == 0
                        ? List.of()
                        : List.of(left
                                + " rows of other programs, of more than two GPUs, of kernels of their own, of models"
                                + " without a config, or of lengths that are in the data"));
    }

    private static Optional<FmsRow> fms(CsvRows.Row row) {
        Matcher versions = VERSIONS.matcher(row.text("versions"));
        if (!List.of("1", "2").contains(row.text("gpus")) || !versions.find() || !packed(row)) {
            return Optional.empty();
        }
        String peak = row.text("peak_bytes");
        return Optional.of(new FmsRow(
                Integer.parseInt(row.text("gpus")),
                row.text("model"),
                row.text("micro_batch"),
                row.text("method"),
                row.text("config"),
                row.text("precision"),
                versions.group(1),
                versions.group(2),
                peak.isEmpty() ? null : (Long) row.number("peak_bytes")));
    }

    /** Whether a hundred steps saw as many tokens as whole sequences have; a step may have lost one to rounding. */
    private static boolean packed(CsvRows.Row row) {
        Matcher tokens = TOKENS.matcher(row.text("extra"));
        if (!tokens.find()) {
            return false;
        }
        String count = tokens.group(1);
        return count.startsWith("FAILED")
                || Math.abs(Long.parseLong(count) - TOKENS_A_STEP * row.number("micro_batch")) <= 1;
    }

    private static RealRun run(CsvRows.Row row, FmsRow fms) {
        @Nullable Long peak = fms.peak();
        return new RealRun(
                "line " + row.line() + ": " + fms,
                fms.model(),
                () -> fms.request().orElseThrow(),
                peak == null ? 0 : peak,
                peak == null ? RealRun.Fate.RAN_OUT : RealRun.Fate.FITS,
                Map.of(),
                null,
                RealRun.Figure.ALLOCATED);
    }
}
