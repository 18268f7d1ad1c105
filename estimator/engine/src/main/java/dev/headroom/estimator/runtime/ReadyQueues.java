package dev.headroom.estimator.runtime;

import java.util.function.Consumer;

/**
 * What waits for autograd's workers, a queue a device. A queue is shared by a backward pass and those that its nodes
 * start. Workers run at the same time: each does one node while the others do one.
 */
final class ReadyQueues {
    private final ReadyQueue[] queues;

    ReadyQueues(int devices) {
        queues = new ReadyQueue[devices];
        for (int d = 0; d < devices; d++) {
            queues[d] = new ReadyQueue();
        }
    }

    void push(ReadyQueue.Task task) {
        queues[task.node().device].push(task);
    }

    /** Every worker that has something to do does one piece of it. */
    void turn(Consumer<ReadyQueue.Task> worker) {
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
