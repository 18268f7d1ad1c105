package dev.headroom.estimator.parallel;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.parallel.group.Mesh;
import dev.headroom.estimator.parallel.layout.GreedyPartition;
import dev.headroom.estimator.parallel.layout.ShardLayout;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.LongStream;

/** Which ranks of a world are alike: those that hold as much of every tensor and have the same part in the schedule. */
public final class RankGroups {
    private final Parallelism parallel;
    private final List<HeldTensor> parameters;

    /** Different sizes of parameters. */
    private final List<long[]> shapes;

    /** Sizes of the user's inputs behind the first, such as the length of a sequence. */
    private final List<Long> inputs;

    private RankGroups(PreparedRun run) {
        Graph graph = run.graph();
        this.parallel = run.scenario().parallel();
        this.parameters = graph.held().tensors().entrySet().stream()
                .filter(e -> e.getValue().kind() == Graph.InputKind.PARAMETER)
                .filter(e -> e.getValue().storage().equals(e.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        this.shapes = parameters.stream()
                .map(p -> p.meta().sizes())
                .distinct()
                .map(RankGroups::evaluated)
                .toList();
        this.inputs = graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER)
                .map(in -> graph.values().get(in.value()))
                .filter(meta -> meta != null)
                .flatMap(meta -> meta.sizes().stream().skip(1))
                .map(n -> n.evaluate(run.symbols()))
                .toList();
    }

    /** Ranks that are alike, the group of the first rank first; one group of one rank where a process has all GPUs. */
    public static List<List<Integer>> of(PreparedRun run) {
        Parallelism parallel = run.scenario().parallel();
        int ranks = parallel.kind().isOneProcess() ? 1 : parallel.world();
        IntFunction<Object> likeness = new RankGroups(run).likeness();
        Map<Object, List<Integer>> groups = new LinkedHashMap<>();
        for (int rank = 0; rank < ranks; rank++) {
            groups.computeIfAbsent(likeness.apply(rank), key -> new ArrayList<>())
                    .add(rank);
        }
        return List.copyOf(groups.values());
    }

    private IntFunction<Object> likeness() {
        return switch (parallel.kind()) {
            case SINGLE, DP, MP -> rank -> 0;
            case DDP -> dealt();
            case FSDP2 -> this::rows;
            // Every rank's part of a parameter is padded to the same size; only the last may hold less than that.
            case ZERO3 -> rank -> rank == parallel.world() - 1;
            case TP -> this::shared;
            case TP_FSDP2, PP, PP_DDP, PP_FSDP2, PP_TP, PP_FSDP2_TP -> this::placed;
            case FSDP1, ZERO1, ZERO2 -> rank -> rank;
        };
    }

    /** ZeroRedundancyOptimizer gives ranks whole parameters; else they are all alike. */
    private IntFunction<Object> dealt() {
        if (!parallel.ddp().zeroOptimizer()) {
            return rank -> 0;
        }
        List<Long> numels = parameters.stream()
                .filter(p -> p.meta().requiresGrad())
                .map(p -> numel(sizes(p)))
                .toList();
        List<List<Integer>> partition = GreedyPartition.of(numels, parallel.world());
        return rank -> partition.get(rank).stream().map(numels::get).toList();
    }

    /** The stage, the part of its layers, and the rows of that part. */
    private Object placed(int rank) {
        int behind = parallel.dataDegree() * parallel.tensorDegree();
        boolean divided = parallel.kind().shardsWithFsdp2();
        return List.of(rank / behind, shared(rank), divided ? rows(rank / parallel.tensorDegree(), rank) : List.of());
    }

    /**
     * The part of layers that are shared: the parts are alike where all sizes divide, but for the first rank, which
     * sends the others theirs where the model is built on the GPU.
     */
    private Object shared(int rank) {
        int degree = parallel.tensorDegree();
        int part = rank % degree;
        return divides(degree) ? parallel.build() == Parallelism.Build.CUDA && part == 0 : part;
    }

    private boolean divides(int degree) {
        boolean parameters = shapes.stream().flatMapToLong(Arrays::stream).allMatch(n -> n % degree == 0 || n == 1);
        return parameters && inputs.stream().allMatch(n -> n % degree == 0);
    }

    /** Rows of each parameter of the ranks that divide data, which are next to each other where nothing is shared. */
    private Object rows(int place, int rank) {
        int degree = parallel.tensorDegree();
        int part = rank % degree;
        int among = parallel.dataDegree();
        // Whichever dimension is shared, rows are at most divided by as many.
        return shapes.stream()
                .mapToLong(p -> p[0])
                .distinct()
                .flatMap(n -> LongStream.of(n, partOf(n, degree, part)))
                .map(n -> ShardLayout.of(new long[] {n}, among).rows(place % among))
                .boxed()
                .toList();
    }

    private static long partOf(long whole, int ranks, int rank) {
        long full = Bytes.ceilDiv(whole, ranks);
        return Math.max(0, Math.min(whole, full * (rank + 1)) - Math.min(whole, full * rank));
    }

    /** Rows of each parameter. */
    private Object rows(int rank) {
        Mesh mesh = new Mesh(parallel.grid());
        int inner = mesh.sizes().size() - 1;
        int shard = mesh.coordinates(rank).get(inner);
        return shapes.stream()
                .map(p -> ShardLayout.of(p, mesh.sizes().get(inner)).rows(shard))
                .toList();
    }

    private static long[] sizes(HeldTensor parameter) {
        return evaluated(parameter.meta().sizes());
    }

    private static long[] evaluated(List<SymExpr> sizes) {
        return sizes.stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
    }

    private static long numel(long[] sizes) {
        long n = 1;
        for (long s : sizes) {
            n *= s;
        }
        return n;
    }
}
