package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.timeline.CategoryCurve;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a rank holds and communicates in the last step of its run, in bytes of blocks. */
final class StrategyFigures {
    private final ExplainedRun explained;
    private final CategoryCurve curve;
    private final List<PhaseSpan> step;
    private final Map<CollectiveKind, Long> communicated = new EnumMap<>(CollectiveKind.class);
    private final Map<CollectiveKind, Long> largest = new EnumMap<>(CollectiveKind.class);

    StrategyFigures(ExplainedRun explained) {
        this.explained = explained;
        this.curve = new CategoryCurve(
                explained.timeline(), Math.max(1, explained.timeline().size()));
        List<PhaseSpan> all = explained.timeline().phases();
        Integer last = all.isEmpty() ? null : all.get(all.size() - 1).step();
        this.step = all.stream()
                .filter(p -> last != null && Objects.equals(p.step(), last))
                .toList();
        Prediction p = explained.prediction();
        for (int i = 0; i < Math.min(p.phases().size(), p.collectives().size()); i++) {
            if (last != null && last.equals(p.phases().get(i).moment().step())) {
                for (CollectiveRow row : p.collectives().get(i)) {
                    communicated.merge(row.kind(), row.allBytes(), Long::sum);
                    largest.merge(row.kind(), row.wholeBytes(), Math::max);
                }
            }
        }
    }

    /** The highest of allocated memory. */
    long peak() {
        return explained.peak().allocated();
    }

    private long at(int event, Category c) {
        return event < 0 ? 0 : curve.bytes(event, c);
    }

    /** At the end of the last step. */
    long kept(Category c) {
        return step.isEmpty() ? 0 : at(step.get(step.size() - 1).to() - 1, c);
    }

    /** When the last backward pass has ended. */
    long afterBackward(Category c) {
        return step.stream()
                .filter(p -> p.phase() == Phase.BACKWARD)
                .reduce((a, b) -> b)
                .map(p -> at(p.to() - 1, c))
                .orElse(0L);
    }

    /** What is alive of a category at most in the last step. */
    long most(Category c) {
        long most = 0;
        for (PhaseSpan span : step) {
            for (int e = span.from(); e < span.to(); e++) {
                most = Math.max(most, at(e, c));
            }
        }
        return most;
    }

    /** Bytes that are handed to NCCL in the last step, whole buffers. */
    long communicated() {
        return communicated.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The same, by operation. */
    List<Account.Part> operations() {
        List<Account.Part> parts = new ArrayList<>();
        communicated.forEach((kind, bytes) -> parts.add(new Account.Part(kind.label(), bytes)));
        parts.sort((a, b) -> Long.compare(b.bytes(), a.bytes()));
        return parts;
    }

    /** The largest buffer of some operations. */
    long largest(CollectiveKind... kinds) {
        return Arrays.stream(kinds)
                .mapToLong(kind -> largest.getOrDefault(kind, 0L))
                .max()
                .orElse(0);
    }
}
