package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The order in which nodes leave the queue. */
class ReadyQueueTest {
    /**
     * What std::priority_queue of libstdc++ 14 gave, compiled by g++ with PyTorch's comparison, for the pushes and pops
     * that {@link #asLibstdcxx} makes: 57 tasks with two depths and four sequence numbers, so that most are ties.
     */
    private static final List<Integer> LIBSTDCXX = List.of(
            1, 4, 3, 2, 0, 6, 5, 8, 7, 11, 10, 9, 18, 12, 16, 13, 21, 19, 20, 27, 32, 34, 39, 31, 43, 44, 46, 50, 42,
            52, 30, 56, 47, 40, 41, 53, 23, 24, 15, 22, 49, 26, 14, 38, 36, 54, 29, 25, 37, 33, 55, 35, 28, 51, 17, 48,
            45);

    private final EagerRuntime rt = new EagerRuntime(
            List.of(allocator(), allocator()),
            new DeviceModel(9, 0, 132),
            new KernelOptions(0, Scenario.Attention.AUTO));

    private static CachingAllocator allocator() {
        return new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
    }

    private ReadyQueue.Task task(int depth, long sequence, int id, int device) {
        GradNode node = new GradNode("N" + id, sequence, new GradNode.Edge[0], rt, device, null);
        return new ReadyQueue.Task(new GraphTask(depth, node, null), node, new Tensor[id]);
    }

    private static int id(ReadyQueue.Task task) {
        return task.inputs().length;
    }

    @Example
    void asLibstdcxx() {
        ReadyQueue queue = new ReadyQueue();
        List<Integer> order = new ArrayList<>();
        long state = 1;
        int pushed = 0;
        for (int i = 0; i < 90; i++) {
            state = state * 1103515245L + 12345L & 0x7fffffffL;
            long r = state >> 16;
            if (r % 3 != 0) {
                queue.push(task((int) (r / 3 % 2), r / 6 % 4, pushed++, 0));
            } else if (!queue.isEmpty()) {
                order.add(id(queue.pop()));
            }
        }
        while (!queue.isEmpty()) {
            order.add(id(queue.pop()));
        }
        assertEquals(LIBSTDCXX, order);
    }

    /** Nodes of the innermost pass first, then those that were recorded last. */
    @Property(tries = 200)
    void deeperAndLaterFirst(@ForAll @Size(max = 40) List<@IntRange(max = 30) Integer> keys) {
        ReadyQueue queue = new ReadyQueue();
        keys.forEach(k -> queue.push(task(k % 3, k / 3, 0, 0)));
        int depth = Integer.MAX_VALUE;
        long sequence = Long.MAX_VALUE;
        for (int left = keys.size(); left > 0; left--) {
            ReadyQueue.Task next = queue.pop();
            assertTrue(next.graphTask().depth <= depth);
            assertTrue(next.graphTask().depth < depth || next.node().sequence <= sequence);
            depth = next.graphTask().depth;
            sequence = next.node().sequence;
        }
        assertTrue(queue.isEmpty());
    }

    /** Each worker does one node of its own device in a turn; what a turn queues waits for the next. */
    @Example
    void workersOfDevicesTakeTurns() {
        ReadyQueue.OfDevices queues = new ReadyQueue.OfDevices(2);
        queues.push(task(1, 1, 1, 0));
        queues.push(task(1, 9, 2, 0));
        queues.push(task(1, 2, 3, 1));
        List<Integer> order = new ArrayList<>();
        queues.turn(t -> order.add(id(t)));
        assertEquals(List.of(2, 3), order);
        queues.turn(t -> {
            order.add(id(t));
            queues.push(task(1, 5, 7, 1));
        });
        assertEquals(List.of(2, 3, 1), order, "the second device had nothing to do when the turn began");
        queues.turn(t -> order.add(id(t)));
        assertEquals(List.of(2, 3, 1, 7), order);
    }
}
