package dev.headroom.predict;

import dev.headroom.execution.TrainingLoop;
import dev.headroom.execution.Unmodelled;
import dev.headroom.shadow.Category;
import dev.headroom.shadow.EventLog;
import dev.headroom.shadow.Runtime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reads a prediction off a run that was played. */
final class Summaries {
    private Summaries() {}

    static Prediction of(
            PredictionRequest request,
            Runtime runtime,
            TrainingLoop loop,
            List<PhaseState> phases,
            Prediction.Oom oom,
            Unmodelled unmodelled,
            Long total) {
        EventLog log = runtime.log();
        Category[] alive = log.aliveAfter(runtime.eventsAtPeak());
        Map<Category, Long> atPeak = new EnumMap<>(Category.class);
        for (Category c : Category.values()) {
            atPeak.put(c, 0L);
        }
        long rounding = 0;
        for (int i = 0; i < alive.length; i++) {
            if (alive[i] != null) {
                atPeak.merge(alive[i], log.requested(i), Long::sum);
                rounding += log.rounded(i) - log.requested(i);
            }
        }
        long allocated = runtime.maxAllocated();
        long reserved = runtime.allocator().statistics().reservedBytes().peak();
        Prediction.Peak peak = new Prediction.Peak(allocated, reserved, reserved, loop.phase(), loop.step());
        List<Prediction.Unmodelled> gaps = new ArrayList<>();
        unmodelled.counts().forEach((op, n) -> gaps.add(new Prediction.Unmodelled(op, n)));
        return new Prediction(
                request.graph().name(),
                request.run(),
                total == null ? null : new Prediction.Device(request.gpu(), total, request.inUse(), request.limit()),
                phases,
                peak,
                atPeak,
                rounding,
                runtime.reservedAtPeak() - allocated,
                List.of(),
                new Prediction.Verdict(total == null ? null : oom == null, null, null, null),
                oom,
                List.of(),
                gaps);
    }
}
