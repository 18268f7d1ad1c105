package dev.headroom.executor.autograd;

import java.util.ArrayList;
import java.util.List;

/**
 * Nodes whose gradients are complete, the one made last first. A heap as C++'s std::priority_queue keeps it, so that
 * nodes of equal rank come out in the same order as in PyTorch (torch/csrc/autograd/engine.cpp, ReadyQueue).
 */
final class ReadyQueue {
    /** A node with the gradients of its results. */
    record Task(Node node, InputBuffer gradients) {}

    private final List<Task> heap = new ArrayList<>();

    boolean isEmpty() {
        return heap.isEmpty();
    }

    void push(Task task) {
        heap.add(task);
        raise(heap.size() - 1, task);
    }

    Task pop() {
        Task top = heap.get(0);
        Task last = heap.remove(heap.size() - 1);
        int n = heap.size();
        if (n > 0) {
            // The hole sinks to the bottom along the larger children, then the last element rises from there.
            int hole = 0;
            int child = 2;
            while (child < n) {
                if (before(heap.get(child), heap.get(child - 1))) {
                    child--;
                }
                heap.set(hole, heap.get(child));
                hole = child;
                child = 2 * hole + 2;
            }
            if (child == n) {
                heap.set(hole, heap.get(child - 1));
                hole = child - 1;
            }
            raise(hole, last);
        }
        return top;
    }

    private void raise(int from, Task task) {
        int hole = from;
        while (hole > 0 && before(heap.get((hole - 1) / 2), task)) {
            heap.set(hole, heap.get((hole - 1) / 2));
            hole = (hole - 1) / 2;
        }
        heap.set(hole, task);
    }

    /** Whether the first ranks below the second. */
    private static boolean before(Task a, Task b) {
        return a.node().sequence < b.node().sequence;
    }
}
