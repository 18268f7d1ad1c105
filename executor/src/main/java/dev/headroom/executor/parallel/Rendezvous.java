package dev.headroom.executor.parallel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the ranks of a group meet. */
final class Rendezvous {
    private final World world;
    private final List<Integer> ranks;
    private final Object[] given;
    private List<Object> gathered = List.of();
    private int arrived;
    private long round;

    Rendezvous(World world, List<Integer> ranks) {
        this.world = world;
        this.ranks = ranks;
        this.given = new Object[ranks.size()];
    }

    /**
     * Waits until every rank has given something.
     *
     * @param place of the rank in the group
     * @param value may be {@code null}
     * @return what each of them gave, by place
     * @throws RanksLeftException when a rank will not come
     */
    List<Object> exchange(int place, @Nullable Object value) {
        given[place] = value;
        long mine = round;
        if (++arrived == given.length) {
            gathered = new ArrayList<>(Arrays.asList(given));
            arrived = 0;
            round++;
            world.wake();
        }
        world.await(ranks, () -> round != mine);
        return gathered; // nobody completes another round before all have come back for it
    }
}
