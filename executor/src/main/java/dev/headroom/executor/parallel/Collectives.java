package dev.headroom.executor.parallel;

import dev.headroom.executor.kernel.ExchangeKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collectives over tensors of one rank. They take no memory of the allocator's; what an asynchronous one works on is
 * kept until the group's next collective after the host has seen that it is through, which it does while it rests
 * between phases (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, TensorShelf).
 */
public final class Collectives {
    private final ProcessGroup group;
    private final Eager eager;
    private final List<Tensor> shelved = new ArrayList<>();
    private final List<Tensor> through = new ArrayList<>();

    public Collectives(ProcessGroup group, Eager eager) {
        this.group = group;
        this.eager = eager;
    }

    /** Among whom. */
    public ProcessGroup group() {
        return group;
    }

    /** A collective over values that do not travel as tensors: by rank, what each of them has. */
    <T> List<T> gather(@Nullable T mine) {
        begin();
        return group.gather(mine);
    }

    /** Every rank's tensor becomes the sum of all. */
    public void allReduce(Tensor t) {
        allReduce(t, 1);
    }

    /** Every rank's tensor becomes the sum of all over a number. */
    public void allReduce(Tensor t, double divisor) {
        ExchangeKernels kernels = eager.backend().exchange();
        set(kernels, t, sum(gather(kernels.values(t)), divisor));
    }

    /** Every rank's tensor becomes the greatest of all. */
    public void allReduceMost(Tensor t) {
        ExchangeKernels kernels = eager.backend().exchange();
        List<double[]> parts = gather(kernels.values(t));
        if (parts.get(0) != null) {
            double[] most = parts.get(0).clone();
            parts.forEach(part -> Arrays.setAll(most, i -> Math.max(most[i], part[i])));
            kernels.set(t, most);
        }
    }

    /** A tensor becomes what all ranks have, one after the other. */
    public void allGather(Tensor all, Tensor mine) {
        ExchangeKernels kernels = eager.backend().exchange();
        List<double[]> parts = gather(kernels.values(mine));
        if (parts.get(0) != null) {
            kernels.set(all, parts.stream().flatMapToDouble(Arrays::stream).toArray());
        }
    }

    /** A tensor becomes the own part of the sum of all ranks' over a number. */
    public void reduceScatter(Tensor part, Tensor whole, double divisor) {
        ExchangeKernels kernels = eager.backend().exchange();
        double[] sum = sum(gather(kernels.values(whole)), divisor);
        if (sum != null) {
            int length = sum.length / group.size();
            kernels.set(part, Arrays.copyOfRange(sum, group.rank() * length, (group.rank() + 1) * length));
        }
    }

    /** In the order of ranks, so that all come to the same; {@code null} where nothing is computed. */
    private static double @Nullable [] sum(List<double[]> parts, double divisor) {
        if (parts.get(0) == null) {
            return null;
        }
        double[] sum = parts.get(0).clone();
        for (double[] part : parts.subList(1, parts.size())) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += part[i];
            }
        }
        return divisor == 1 ? sum : Arrays.stream(sum).map(x -> x / divisor).toArray();
    }

    /** Every rank's tensor becomes that of one rank. */
    public void broadcast(Tensor t, int root) {
        begin();
        ExchangeKernels kernels = eager.backend().exchange();
        set(
                kernels,
                t,
                group.gather(group.rank() == root ? kernels.values(t) : null).get(root));
    }

    private static void set(ExchangeKernels kernels, Tensor t, double @Nullable [] values) {
        if (values != null) {
            kernels.set(t, values);
        }
    }

    private void begin() {
        through.forEach(eager::release);
        through.clear();
    }

    /** The collective that was asked for last works on a tensor, and nobody waits for it. */
    void shelve(Tensor t) {
        shelved.add(eager.hold(t));
    }

    /** The host rests. */
    public void rest() {
        through.addAll(shelved);
        shelved.clear();
    }

    /** Lets go of what is kept. */
    public void close() {
        rest();
        begin();
    }
}
