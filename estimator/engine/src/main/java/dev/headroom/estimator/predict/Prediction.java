package dev.headroom.estimator.predict;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.record.Withers;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run would do, in bytes.
 *
 * @param model name of the graph
 * @param device {@code null} when none was named
 * @param phases in order
 * @param peak the three peaks
 * @param atPeak bytes by category when allocated memory is highest, {@code rounding} and {@code cached_free} apart
 * @param rounding allocated minus requested bytes at that moment
 * @param cachedFree reserved minus allocated bytes at that moment
 * @param layers in execution order
 * @param oom {@code null} when the run gets through
 * @param convolutions where the workspaces of cuDNN convolutions come from; {@code null} when no convolution asked
 * @param warnings one line each
 * @param unmodelled operators without a rule, and custom functions of autograd that an export traced through
 * @param certainty how sure the peak of device memory is, on the GPU that takes most
 * @param collectives that the rank asks NCCL for, by phase; empty for a run on one GPU
 * @param ranks what all ranks take, the ones that take most first; empty where a rank was named, or there is one
 * @param devices of a process that has several GPUs, of whose first the phases, peaks and shares are; else none
 */
@Withers
public record Prediction(
        String model,
        Scenario run,
        @Nullable Device device,
        List<PhaseMemory> phases,
        Peak peak,
        Map<Category, Long> atPeak,
        long rounding,
        long cachedFree,
        List<LayerShare> layers,
        Verdict verdict,
        @Nullable OutOfMemory oom,
        @Nullable Convolutions convolutions,
        List<String> warnings,
        List<Unmodelled> unmodelled,
        Certainty certainty,
        List<List<CollectiveRow>> collectives,
        List<RankMemory> ranks,
        List<DeviceMemory> devices)
        implements PredictionWithers.With {

    /** The same with more warnings before its own. */
    public Prediction warnedOf(List<String> more) {
        List<String> all = new ArrayList<>(more);
        all.addAll(warnings);
        return withWarnings(all);
    }

    /**
     * The card as the run sees it.
     *
     * @param gpu {@code null} when only a memory size was given
     * @param memory total bytes
     * @param inUse bytes taken by others
     * @param limit bytes that the allocator may reserve, or {@code null}
     */
    public record Device(
            @Nullable Gpu gpu,
            long memory,
            long inUse,
            @Nullable Long limit) {}

    /**
     * Peaks.
     *
     * @param moment the phase in which allocated memory is highest
     * @param device reserved plus what CUDA's context and libraries take: what nvidia-smi shows for the process
     */
    public record Peak(long allocated, long reserved, long device, Moment moment) {}

    /**
     * The answer.
     *
     * @param fits {@code null} when neither a device nor a limit was named
     * @param headroom bytes left at the peak (negative: missing), or {@code null}: also where none are missing and the
     *     run fails because what is free lies in pieces
     * @param probabilityOom that the run needs more than there is, from how far predictions were from measurements;
     *     {@code null} when neither a device nor a limit was named
     * @param minimumMemory the least device memory in which the run gets through, CUDA's context and libraries included
     *     where a card is named; {@code null} where it does not get through at any size
     */
    public record Verdict(
            @Nullable Boolean fits,
            @Nullable Long headroom,
            @Nullable Double probabilityOom,
            @Nullable Long minimumMemory) {}

    /**
     * How the workspaces of cuDNN convolutions were found.
     *
     * @param answered different convolutions by level: {@code asked}, {@code distilled}, {@code bounded} or
     *     {@code unknown}
     * @param source who gave the surest of the answers, such as {@code cuDNN 9.24.0}, or ""
     */
    public record Convolutions(Map<String, Integer> answered, String source) {
        /** Convolutions of a level. */
        public int count(String level) {
            return answered.getOrDefault(level, 0);
        }
    }

    /** An operator without a rule and how often it was called. */
    public record Unmodelled(String operator, int count) {}
}
