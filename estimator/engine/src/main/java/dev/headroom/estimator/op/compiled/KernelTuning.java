package dev.headroom.estimator.op.compiled;

import dev.headroom.allocator.Stat;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Remembered;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What Inductor allocates when a kernel that can be made in several ways runs for the first time. Each way is run once
 * to warm up and then over a buffer as large as the L2 cache (before PyTorch 2.7 a larger one), always on copies of
 * what the kernel writes over (torch/_inductor/runtime/triton_heuristics.py, CachingAutotuner.bench; benchmarking.py,
 * InductorBenchmarker.benchmark_gpu). All ways allocate the same, but find what the ones before left free.
 */
final class KernelTuning implements Remembered {
    /** Sizes up to this leave one block size, and with it one way ({@code triton_config}, unique_configs). */
    private static final long ONE_BLOCK = 128;

    /** How many ways are played; further ones find what the second finds. */
    private static final int WAYS = 2;

    /** An input and a result, for which a block of two dimensions is square and not tried otherwise. */
    private static final int COPY = 2;

    private final EagerRuntime rt;
    private final IdentityHashMap<CompiledCode, Set<String>> tuned = new IdentityHashMap<>();

    private KernelTuning(EagerRuntime rt) {
        this.rt = rt;
    }

    static KernelTuning of(EagerRuntime rt) {
        return rt.workspaces().remembered(KernelTuning.class, () -> new KernelTuning(rt));
    }

    /**
     * A kernel is about to run.
     *
     * @param code that it is part of; each graph's code has kernels of its own
     * @param changed tensors that it writes over
     * @param others the other tensors that it is given
     * @param sparing whether copies that would be a new peak are made on the host, as outside of a forward pass that
     *     is trained
     */
    void run(CompiledCode code, String kernel, List<Tensor> changed, List<Tensor> others, boolean sparing) {
        Set<String> known = tuned.computeIfAbsent(code, c -> new HashSet<>());
        if (known.contains(kernel) || !isChosen(kernel, changed, others)) {
            return;
        }
        known.add(kernel);
        TorchVersion torch = rt.options().torch();
        for (int way = 0; way < WAYS; way++) {
            List<Tensor> copied = sparing && torch.tunesBelowPeak() ? below(peakLeft(), changed) : changed;
            runOnCopies(copied);
            Tensor cache = rt.scratch(torch.benchmarkBytes(rt.device().l2Bytes()));
            runOnCopies(copied);
            rt.free(cache);
        }
    }

    /** Kernels are only added, so that their number tells whether there are new ones. */
    @Override
    public void describe(Beginning to) {
        to.number(tuned.values().stream().mapToInt(Set::size).sum());
    }

    /** {@code copy_args_to_cpu_if_needed}. */
    private static List<Tensor> below(long budget, List<Tensor> changed) {
        List<Tensor> out = new ArrayList<>();
        long left = budget;
        for (Tensor t : changed) {
            if (t.nbytes() <= left) {
                left -= t.nbytes();
                out.add(t);
            }
        }
        return out;
    }

    private long peakLeft() {
        Stat allocated = rt.allocator().statistics().allocatedBytes();
        return allocated.peak() - allocated.current();
    }

    /** {@code clone_preserve_strides}: as large as the tensor reaches. */
    private void runOnCopies(List<Tensor> changed) {
        rt.freeAll(changed.stream()
                .map(t -> rt.emptyStrided(t.dtype(), t.sizes(), t.strides()))
                .toList());
    }

    /**
     * Whether there are several ways. Pointwise kernels have two or more, but for small ones and those that only turn
     * dimensions around. Of reductions it depends on what the reduced dimension lies like and on registers; most have
     * one.
     */
    private static boolean isChosen(String kernel, List<Tensor> changed, List<Tensor> others) {
        if (!kernel.startsWith("triton_poi_")) {
            return false;
        }
        List<Tensor> given = Stream.concat(changed.stream(), others.stream()).toList();
        long points = given.stream().mapToLong(Tensor::numel).max().orElse(0);
        return points > ONE_BLOCK && !(given.size() == COPY && turns(given.get(0), given.get(1)));
    }

    private static boolean turns(Tensor from, Tensor to) {
        return Arrays.equals(from.sizes(), to.sizes()) && fastest(from) != fastest(to);
    }

    /** The dimension whose neighbours lie side by side. */
    private static int fastest(Tensor t) {
        int found = -1;
        for (int i = 0; i < t.sizes().length; i++) {
            if (t.sizes()[i] != 1 && (found < 0 || t.strides()[i] < t.strides()[found])) {
                found = i;
            }
        }
        return found;
    }
}
