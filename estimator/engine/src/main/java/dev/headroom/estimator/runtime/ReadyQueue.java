package dev.headroom.estimator.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Nodes that can run: those of the innermost backward pass first, then by sequence number, highest first. Ties come
 * out in the order of libstdc++'s binary heap, which PyTorch's std::priority_queue uses
 * (torch/csrc/autograd/engine.h, ReadyQueue).
 */
final class ReadyQueue {
    record Task(GraphTask graphTask, GradNode node, Tensor[] inputs) {}

    private final List<Task> heap = new ArrayList<>();

    boolean isEmpty() {
        return heap.isEmpty();
    }

    void push(Task task) {
        heap.add(task);
        siftUp(heap.size() - 1, 0, task);
    }

    Task pop() {
        Task top = heap.get(0);
        Task last = heap.remove(heap.size() - 1);
        int n = heap.size();
        if (n > 0) {
            // std::__adjust_heap: the hole goes down to a leaf, then the last element rises from there.
            int hole = 0;
            int child = 0;
            while (child < (n - 1) / 2) {
                child = 2 * (child + 1);
                if (less(heap.get(child), heap.get(child - 1))) {
                    child--;
                }
                heap.set(hole, heap.get(child));
                hole = child;
            }
            if ((n & 1) == 0 && child == (n - 2) / 2) {
                child = 2 * (child + 1);
                heap.set(hole, heap.get(child - 1));
                hole = child - 1;
            }
            siftUp(hole, 0, last);
        }
        return top;
    }

    private void siftUp(int start, int top, Task task) {
        int hole = start;
        int parent = (hole - 1) / 2;
        while (hole > top && less(heap.get(parent), task)) {
            heap.set(hole, heap.get(parent));
            hole = parent;
            parent = (hole - 1) / 2;
        }
        heap.set(hole, task);
    }

    private static boolean less(Task a, Task b) {
        int depthA = a.graphTask().depth;
        int depthB = b.graphTask().depth;
        return depthA == depthB ? a.node().sequence < b.node().sequence : depthA < depthB;
    }

    /**
     * What waits for autograd's workers, a queue a device. A queue is shared by a backward pass and those that its
     * nodes start. Workers run at the same time: each does one node while the others do one.
     */
    static final class OfDevices {
        private final ReadyQueue[] queues;

        OfDevices(int devices) {
            queues = new ReadyQueue[devices];
            for (int d = 0; d < devices; d++) {
                queues[d] = new ReadyQueue();
            }
        }

        void push(Task task) {
            queues[task.node().device].push(task);
        }

        /** Every worker that has something to do does one piece of it. */
        void turn(Consumer<Task> worker) {
            if (queues.length == 1) {
                worker.accept(queues[0].pop());
                return;
            }
            boolean[] busy = new boolean[queues.length];
            for (int d = 0; d < queues.length; d++) {
                busy[d] = !queues[d].isEmpty();
            }
            for (int d = 0; d < queues.length; d++) {
                if (busy[d] && !queues[d].isEmpty()) {
                    worker.accept(queues[d].pop());
                }
            }
        }
    }
}
