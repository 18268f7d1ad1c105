package dev.headroom.estimator.host;

import dev.headroom.estimator.repeat.Beginning;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The main thread, autograd's workers, of which each device has one (torch/csrc/autograd/engine.cpp,
 * start_device_threads), and threads that a program starts. A thread takes a library handle when it first needs one,
 * and gives it back at its end, so that others find it (aten/src/ATen/cuda/detail/DeviceThreadHandles.h).
 */
public final class HostThreads {
    private final List<HostThread> backward = new ArrayList<>();
    private final List<Deque<Integer>> free = new ArrayList<>();
    private final int[] made;
    private HostThread current;

    /** @param devices that the process has */
    public HostThreads(int devices) {
        made = new int[devices];
        for (int d = 0; d < devices; d++) {
            backward.add(new HostThread(true, devices));
            free.add(new ArrayDeque<>());
        }
        current = new HostThread(false, devices);
    }

    /** Who works now. */
    public HostThread current() {
        return current;
    }

    /** The worker of a device. */
    public HostThread backward(int device) {
        return backward.get(device);
    }

    /**
     * From now on this thread works.
     *
     * @return the one before
     */
    public HostThread use(HostThread thread) {
        HostThread before = current;
        current = thread;
        return before;
    }

    /** Runs work in a thread of its own, and waits for its end. */
    public void run(Runnable work) {
        HostThread worker = new HostThread(false, made.length);
        HostThread before = use(worker);
        try {
            work.run();
        } finally {
            current = before;
            for (int d = 0; d < made.length; d++) {
                if (worker.handle(d) != HostThread.NO_HANDLE) {
                    free.get(d).push(worker.handle(d));
                }
            }
        }
    }

    /** Adds the threads; plans only come to those that there are. */
    public void describe(Beginning to) {
        current.describe(to);
        backward.forEach(thread -> thread.describe(to));
        free.forEach(handles -> to.constant(List.copyOf(handles)));
        for (int handles : made) {
            to.number(handles);
        }
    }

    /** Number of the present thread's cuBLAS handle of a device. */
    public int handle(int device) {
        int known = current.handle(device);
        if (known != HostThread.NO_HANDLE) {
            return known;
        }
        int taken =
                free.get(device).isEmpty() ? made[device]++ : free.get(device).pop();
        current.setHandle(device, taken);
        return taken;
    }
}
