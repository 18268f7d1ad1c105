package dev.headroom.estimator.parallel.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupTest {
    private static final Mesh MESH = new Mesh(List.of(2, 4));

    @Test
    void theLastDimensionOfAMeshRunsFastest() {
        assertEquals(8, MESH.world());
        assertEquals(List.of(1, 2), MESH.coordinates(6));
        assertEquals(6, MESH.rank(List.of(1, 2)));
        assertEquals(List.of(2, 6), MESH.along(0, 6));
        assertEquals(List.of(4, 5, 6, 7), MESH.along(1, 6));
    }

    @Test
    void ranksOutsideAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> MESH.coordinates(8));
        assertThrows(IllegalArgumentException.class, () -> new Mesh(List.of(2, 0)));
        assertThrows(IllegalArgumentException.class, () -> ProcessGroup.world(2, 2));
    }

    private static CollectiveRow reduce(long bytes, int times) {
        return new CollectiveRow(CollectiveKind.ALL_REDUCE, bytes, DType.FLOAT32, 8, 0, 1, -1, times);
    }

    @Test
    void neighboursThatAreAlikeMakeOneRow() {
        CollectiveLog log = new CollectiveLog();
        log.endPhase();
        log.add(reduce(8, 1));
        log.add(reduce(4, 1));
        log.add(reduce(4, 1));
        log.add(reduce(4, 1));
        log.endPhase();
        log.add(reduce(4, 1));
        assertEquals(List.of(List.of(), List.of(reduce(8, 1), reduce(4, 3))), log.phases());
    }
}
