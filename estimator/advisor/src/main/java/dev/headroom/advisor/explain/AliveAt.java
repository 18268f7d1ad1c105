package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.LiveTensor;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What is alive after an event. */
final class AliveAt {
    private final Timeline timeline;
    private final int event;
    private final List<Holding> holdings = new ArrayList<>();

    /**
     * @param event -1 for the moment before the first
     * @param checkpoints whether the run recomputes
     */
    AliveAt(Timeline timeline, int event, boolean checkpoints) {
        this.timeline = timeline;
        this.event = event;
        if (event < 0) {
            return;
        }
        Attribution[] savers = timeline.savers(event);
        timeline.alive(event).forEach((tensor, category) -> {
            Attribution ended = tensor.died() < timeline.size() ? timeline.running(tensor.died()) : null;
            boolean again = checkpoints && category == Category.TEMPORARIES && waits(tensor);
            holdings.add(new Holding(tensor, category, savers[tensor.number()], ended, again));
        });
    }

    /** Without autograd, only a checkpoint carries a result of the forward pass over into the backward pass. */
    private boolean waits(LiveTensor tensor) {
        return tensor.died() < timeline.size()
                && timeline.phase(tensor.born()).phase() == Phase.FORWARD
                && timeline.phase(tensor.died()).phase() == Phase.BACKWARD;
    }

    int event() {
        return event;
    }

    PhaseSpan phase() {
        return timeline.phase(event);
    }

    Attribution running() {
        return timeline.running(event);
    }

    long allocated() {
        return event < 0 ? 0 : timeline.allocated(event);
    }

    long reserved() {
        return event < 0 ? 0 : timeline.reserved(event);
    }

    List<Holding> holdings() {
        return holdings;
    }

    List<Holding> holdings(Category category) {
        return holdings.stream().filter(h -> h.category() == category).toList();
    }

    /** Requested bytes of a category. */
    long bytes(Category category) {
        return holdings(category).stream().mapToLong(Holding::bytes).sum();
    }

    /** Bytes of what was there before another event. */
    static long bornBefore(List<Holding> holdings, int event) {
        return holdings.stream()
                .filter(h -> h.tensor().born() < event)
                .mapToLong(Holding::bytes)
                .sum();
    }

    /** Requested bytes by category, and what blocks are larger: together the allocated bytes. */
    Account byCategory(String of) {
        Map<Category, Long> bytes = new EnumMap<>(Category.class);
        holdings.forEach(h -> bytes.merge(h.category(), h.bytes(), Long::sum));
        List<Account.Part> parts = new ArrayList<>();
        bytes.forEach((c, b) -> parts.add(new Account.Part(Words.category(c), b)));
        parts.sort((a, b) -> Long.compare(b.bytes(), a.bytes()));
        return Account.of(of, allocated(), parts);
    }
}
