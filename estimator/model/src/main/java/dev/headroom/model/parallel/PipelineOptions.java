package dev.headroom.model.parallel;

import dev.headroom.model.record.Withers;
import java.util.List;

/**
 * Options of pipelines, and of models that are split by hand.
 *
 * @param schedule {@code GPipe}, {@code 1F1B}, {@code Interleaved1F1B}, {@code ZBV} and others of PyTorch
 * @param microbatches parts of a batch
 * @param virtualStages stages of a rank, for schedules that have several
 * @param split first modules of the further stages; empty for an even division
 */
@Withers
public record PipelineOptions(String schedule, int microbatches, int virtualStages, List<String> split)
        implements PipelineOptionsWithers.With {
    public static final PipelineOptions DEFAULTS = new PipelineOptions("1F1B", 1, 2, List.of());
}
