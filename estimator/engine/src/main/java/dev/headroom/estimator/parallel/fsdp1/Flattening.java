package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a unit's parameters one flat parameter and keeps this rank's part of it
 * (torch/distributed/fsdp/_flat_param.py, _init_flat_param_and_metadata and shard).
 */
final class Flattening {
    /** Bytes at whose multiples parameters begin that the module keeps (_get_aligned_numel). */
    private static final int ALIGNMENT = 16;

    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final Communicator shards;
    private final Parallelism parallel;
    private final ShardingOptions options;
    private final boolean divided;

    Flattening(EagerRuntime runtime, ModelTensors model, Communicator shards, Parallelism parallel) {
        this.runtime = runtime;
        this.model = model;
        this.shards = shards;
        this.parallel = parallel;
        this.options = parallel.sharding();
        this.divided = options.strategy() != ShardingOptions.Strategy.NO_SHARD && shards.size() > 1;
    }

    /**
     * A unit's flat parameter.
     *
     * @param parameter what modules use
     * @param originals this rank's parts of the parameters that the module keeps; empty when it keeps none
     */
    record Flat(FlatParameter parameter, List<Tensor> originals) {}

    /**
     * Flattens.
     *
     * @param widens whether parameters of fewer bits become float32 once all units are made
     * @param mixed type in which modules use the parameters; {@code null} for their own
     * @throws UserInputException for parameters that PyTorch refuses
     */
    Flat of(Unit unit, boolean widens, @Nullable DType mixed) {
        List<String> names = unit.freed();
        List<Tensor> before = names.stream().map(model::named).toList();
        check(names, before);
        DType own = before.get(0).dtype();
        DType type = mixed == null ? own : mixed;
        List<Long> numels = before.stream().map(Tensor::numel).toList();
        FlatLayout layout = FlatLayout.of(
                numels,
                options.useOrigParams() ? ALIGNMENT / type.bytes() : 0,
                divided ? shards.size() : 1,
                shards.size());
        boolean trained = before.stream().anyMatch(Tensor::requiresGrad);
        DType lasting = widens && trained && own.isReducedFloat() ? DType.FLOAT32 : own;
        Tensor shard = shard(layout, own);
        runtime.requireGrad(shard, trained);
        Tensor kept = parallel.cpuOffload() ? onHost(shard) : shard;
        FlatParameter flat = new FlatParameter(
                runtime,
                layout,
                kept,
                before.stream().map(Tensor::sizes).toList(),
                lasting,
                type,
                parallel.cpuOffload(),
                divided,
                options.useOrigParams());
        if (parallel.cpuOffload()) {
            if (divided || options.useOrigParams()) {
                runtime.release(shard);
            } else {
                flat.keep(shard);
            }
        }
        List<Tensor> originals = options.useOrigParams() ? originals(flat, before) : List.of();
        for (int i = 0; i < names.size(); i++) {
            Tensor view = flat.views().get(i);
            model.replace(names.get(i), originals.isEmpty() ? kept : originals.get(i), view);
        }
        release(before);
        return new Flat(flat, originals);
    }

    /** A list lets go of its last element first; parameters that stay get other memory, the first one first. */
    private void release(List<Tensor> before) {
        for (int i = 0; i < before.size(); i++) {
            runtime.release(before.get(options.useOrigParams() ? i : before.size() - 1 - i));
        }
    }

    private void check(List<String> names, List<Tensor> tensors) {
        for (int i = 0; i < names.size(); i++) {
            Tensor t = tensors.get(i);
            String what = "`parallel=fsdp1`: '" + names.get(i) + "' ";
            if (t.dim() == 0) {
                throw new UserInputException(what + "is a scalar, which PyTorch refuses to flatten");
            }
            if (!t.isContiguous()) {
                throw new UserInputException(
                        what + "is not contiguous, which is not modelled; leave out `channels_last`");
            }
            if (t.dtype() != tensors.get(0).dtype()) {
                throw new UserInputException(
                        what + "has another type than the parameters beside it, which PyTorch refuses");
            }
            if (!options.useOrigParams() && t.requiresGrad() != tensors.get(0).requiresGrad()) {
                throw new UserInputException(
                        what + "is frozen and others beside it are not, or the other way round, which"
                                + " PyTorch refuses; use `use_orig_params`");
            }
        }
    }

    private Tensor shard(FlatLayout layout, DType type) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> paddings = paddings(layout, type);
            Tensor flat = flat(type, layout.numel());
            runtime.freeAll(paddings);
            if (!divided) {
                return runtime.hold(flat);
            }
            long filled = layout.filled(shards.rank());
            Tensor shard = flat(type, filled);
            if (filled < layout.shard()) {
                Tensor padded = flat(type, layout.shard());
                runtime.free(shard);
                shard = padded;
            }
            runtime.free(flat);
            return runtime.hold(shard);
        }
    }

    /** {@code torch.ones(n) * 42} (_construct_padding_tensor). */
    private List<Tensor> paddings(FlatLayout layout, DType type) {
        List<Tensor> out = new ArrayList<>();
        for (FlatLayout.Piece piece : layout.pieces()) {
            if (piece.parameter() < 0) {
                Tensor ones = runtime.empty(type, piece.numel());
                out.add(runtime.empty(type, piece.numel()));
                runtime.free(ones);
            }
        }
        return out;
    }

    private Tensor flat(DType type, long numel) {
        return runtime.emptyStrided(type, new long[] {numel}, new long[] {1}, Category.PARAMETERS);
    }

    private Tensor onHost(Tensor shard) {
        try (Frame frame = runtime.frame()) {
            Tensor out = runtime.hold(runtime.hostTensor(shard.dtype(), shard.sizes()));
            runtime.requireGrad(out, shard.requiresGrad());
            return out;
        }
    }

    private List<Tensor> originals(FlatParameter flat, List<Tensor> before) {
        List<Tensor> out = new ArrayList<>();
        FlatLayout layout = flat.layout();
        try (Frame frame = runtime.frame()) {
            for (FlatLayout.Piece piece : layout.pieces()) {
                if (piece.parameter() >= 0) {
                    Tensor whole = before.get(piece.parameter());
                    FlatLayout.Part part = layout.part(piece, divided ? shards.rank() : 0);
                    long[] sizes = divided ? new long[] {part.numel()} : whole.sizes();
                    long[] strides = divided ? new long[] {1} : whole.strides();
                    Tensor original = runtime.hold(runtime.reinterpret(flat.shard(), sizes, strides, part.offset()));
                    runtime.requireGrad(original, whole.requiresGrad());
                    out.add(original);
                }
            }
        }
        return out;
    }
}
