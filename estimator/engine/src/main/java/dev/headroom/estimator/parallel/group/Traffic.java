package dev.headroom.estimator.parallel.group;

import dev.headroom.model.run.PhaseMemory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How much a rank hands to NCCL. */
public final class Traffic {
    private Traffic() {}

    /**
     * Bytes of the last step by kind; what each rank has a part of counts as the whole of it.
     *
     * @param phases of the run
     * @param collectives by phase, as far as there are any
     */
    public static Map<CollectiveKind, Long> ofLastStep(
            List<PhaseMemory> phases, List<List<CollectiveRow>> collectives) {
        Map<CollectiveKind, Long> bytes = new EnumMap<>(CollectiveKind.class);
        Integer last =
                phases.isEmpty() ? null : phases.get(phases.size() - 1).moment().step();
        for (int i = 0; i < Math.min(phases.size(), collectives.size()); i++) {
            if (last != null && last.equals(phases.get(i).moment().step())) {
                collectives.get(i).forEach(row -> bytes.merge(row.kind(), row.allBytes(), Long::sum));
            }
        }
        return bytes;
    }
}
