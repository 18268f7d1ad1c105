package dev.headroom.estimator.parallel.zero.sharded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of parameters: who has which, which are stepped together, and what is kept of their gradients. */
class ShardedPartsTest extends OnRuntime {
    private ShardedParameter parameter(int id, long numel, int ranks, int rank) {
        Tensor t = rt.empty(DType.FLOAT32, numel);
        rt.requireGrad(t, true);
        return new ShardedParameter(rt, id, t, ranks, rank);
    }

    /** partition_parameters.py: equal parts, of which the last ones are padded. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 6, 7, 8, 9})
    void partsMakeUpTheWhole(long numel) {
        for (int ranks = 1; ranks < 5; ranks++) {
            long own = 0;
            for (int rank = 0; rank < ranks; rank++) {
                ShardedParameter p = parameter(0, numel, ranks, rank);
                long here = p.ownNumel();
                assertTrue(here >= 0 && here <= p.shardNumel());
                assertTrue(rank == 0 || here == 0 || own == rank * p.shardNumel(), "padding is at the end");
                own += here;
                assertTrue(p.shardNumel() * ranks >= numel && (p.shardNumel() - 1) * ranks < numel);
                assertEquals(4 * p.shardNumel(), p.shardBytes());
            }
            assertEquals(numel, own);
        }
    }

    /** stage3.py, _create_fp16_sub_groups: a group closes when it has as many elements, and the last one at the end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 4, 5, 9, 10, 11, 12, 29, 30, 100})
    void groupsCloseWhenTheyAreFull(long most) {
        List<ShardedParameter> all = new ArrayList<>();
        for (long numel : new long[] {4, 1, 5, 12, 3, 5}) {
            all.add(parameter(all.size(), numel, 1, 0));
        }
        List<List<ShardedParameter>> groups = SubGroup.divide(all, most);
        List<ShardedParameter> together = new ArrayList<>();
        for (List<ShardedParameter> group : groups) {
            together.addAll(group);
            boolean last = together.size() == all.size();
            assertTrue(last || SubGroup.numel(group) >= most);
            assertTrue(groups.size() == 1 || SubGroup.numel(group.subList(0, group.size() - 1)) < most);
        }
        assertEquals(all, together);
        assertEquals(30, SubGroup.numel(all));
        assertTrue(most < 30 || groups.size() == 1);
    }

    /** partition_grads: of gradients that go to the host, norms remain on the device until the step. */
    @Test
    void normsRemainUntilTheStep() {
        ShardedParameter first = parameter(0, 256, 1, 0);
        ShardedParameter second = parameter(1, 256, 1, 0);
        List<ShardedParameter> both = List.of(first, second);
        GradientParts parts = new GradientParts(rt, true);
        parts.begin(false, false);
        take(parts, both);
        assertEquals(List.of(), parts.norms(both), "only the last pass of a step leaves norms");
        long before = allocated();
        for (int step = 0; step < 2; step++) {
            parts.begin(step > 0, true);
            take(parts, both);
            assertEquals(2, parts.norms(both).size());
            assertEquals(1, parts.norms(List.of(second)).size());
            assertEquals(before + 2 * 512, allocated(), "two numbers");
            both.forEach(p -> assertNull(p.tensor().grad()));
        }
        parts.clear();
        assertEquals(List.of(), parts.norms(both));
        assertEquals(before, allocated());
    }

    /** What the host is given back to add to is a variable of the loop: the one before goes when the next is there. */
    @Test
    void aPassThatAddsHasTwoCopiesAtATime() {
        List<ShardedParameter> all = List.of(parameter(0, 256, 1, 0), parameter(1, 256, 1, 0), parameter(2, 256, 1, 0));
        List<Tensor> gradients = new ArrayList<>();
        for (ShardedParameter p : all) {
            gradients.add(kib());
            rt.setGrad(p.tensor(), gradients.get(gradients.size() - 1));
        }
        GradientParts parts = new GradientParts(rt, true);
        parts.begin(true, false);
        long before = allocated();
        parts.take(all, gradients);
        assertEquals(
                before + 2 * KIB, rt.allocator().statistics().allocatedBytes().peak());
        assertEquals(before, allocated());
    }

    private void take(GradientParts parts, List<ShardedParameter> of) {
        List<Tensor> made = new ArrayList<>();
        for (ShardedParameter p : of) {
            Tensor gradient = kib();
            made.add(gradient);
            rt.setGrad(p.tensor(), gradient);
        }
        parts.take(of, made);
        made.forEach(rt::free);
    }
}
