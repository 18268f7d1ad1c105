package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorProfile;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The library's entry: answers a {@link PredictionRequest}. */
public final class Predictor {
    /** Stands for a device with room for anything. */
    static final long UNBOUNDED = 4L << 40;

    /** What kernels are chosen for when no card is named: an H100 or H200. */
    private static final DeviceModel DEFAULT_DEVICE = new DeviceModel(9, 0, 132);

    private Predictor() {}

    /**
     * Plays the run and reads the answer off it: of a run on several GPUs that names no rank, of the rank that takes
     * most.
     *
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static Prediction predict(PredictionRequest request) {
        if (Ranks.areAsked(request)) {
            Ranks ranks = Ranks.of(request);
            return ranks.tell(read(ranks.ofWorst(request), ranks.run()));
        }
        return read(request, simulate(request));
    }

    /** Reads the answer off a run of the request that was played. */
    public static Prediction read(PredictionRequest request, Simulation run) {
        return Summaries.of(request, run, new Plays());
    }

    /**
     * Plays the run on the device of the request; without one, on a device with room for anything.
     *
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static Simulation simulate(PredictionRequest request) {
        return player(request).play(request.graph(), request.scenario());
    }

    /** As {@link #simulate(PredictionRequest)}, which comes to the same sooner: every step operator by operator. */
    public static Simulation interpret(PredictionRequest request) {
        return player(request).interpreting().play(request.graph(), request.scenario());
    }

    /** As {@link #simulate(PredictionRequest)}, with somebody looking on. */
    public static Simulation simulate(PredictionRequest request, RunWatcher watcher) {
        return player(request).with(watcher).play(request.graph(), request.scenario());
    }

    /** As {@link #simulate(PredictionRequest)}, under a regime. */
    public static Simulation simulate(PredictionRequest request, List<LoopHook> regime) {
        return player(request).with(regime).play(request.graph(), request.scenario());
    }

    /** As {@link #simulate(PredictionRequest)}, with convolutions that get other workspaces. */
    static Simulation simulate(PredictionRequest request, WorkspaceEnd end) {
        return player(request).with(end).play(request.graph(), request.scenario());
    }

    /**
     * What becomes of requests on the device of another run that asks the same, as a run with other settings of the
     * allocator does.
     *
     * @throws UserInputException for impossible settings, and when nothing of the device is free
     */
    public static Requests.Answer ask(Requests requests, PredictionRequest on) {
        return requests.of(settings(on), memory(on));
    }

    static RunPlayer player(PredictionRequest request) {
        return new RunPlayer(device(request), settings(request), () -> memory(request));
    }

    /**
     * Fresh device memory as the run of a request finds it.
     *
     * @throws UserInputException when nothing of it is free
     */
    public static SimulatedDeviceMemory memory(PredictionRequest request) {
        Long total = request.device().total();
        long taken = total == null ? 0 : request.device().inUse() + context(request);
        if (total != null && taken >= total) {
            String others =
                    request.device().inUse() == 0 ? "" : request.device().inUse() + " bytes in use and ";
            throw new UserInputException(
                    (request.device().inUse() == 0 ? "`memory`: " : "`in_use`: ") + others + context(request)
                            + " bytes of CUDA's context and libraries leave nothing of " + total
                            + " bytes of device memory; the run needs more");
        }
        return new SimulatedDeviceMemory(
                total == null ? UNBOUNDED : total, taken, request.device().placement());
    }

    static AllocatorSettings settings(PredictionRequest request) {
        TorchVersion torch = request.scenario().torch();
        if (!torch.allocatorSettings() && !request.scenario().allocConf().isBlank()) {
            throw new UserInputException("`alloc_conf`: the settings of PyTorch " + torch
                    + " are not modelled; leave them out, or name a `torch` from 2.1 on");
        }
        try {
            AllocatorSettings settings = AllocatorSettings.parse(
                            request.scenario().allocConf())
                    .withProfile(AllocatorProfile.of(torch.allocator()));
            return request.device().limit() == null
                    ? settings
                    : settings.withLimitBytes(request.device().limit());
        } catch (IllegalArgumentException e) {
            throw new UserInputException("`alloc_conf`: " + e.getMessage(), e);
        }
    }

    static DeviceModel device(PredictionRequest request) {
        Gpu gpu = request.device().gpu();
        return gpu == null ? DEFAULT_DEVICE : DeviceModel.of(gpu);
    }

    /** Bytes that the allocator can reserve, or {@code null} when neither a device nor a limit was named. */
    public static @Nullable Long room(PredictionRequest request) {
        Long total = request.device().total();
        Long free = total == null ? null : (Long) (total - request.device().inUse() - context(request));
        if (free == null || request.device().limit() == null) {
            return free == null ? request.device().limit() : free;
        }
        return Math.min(free, request.device().limit());
    }

    /** Bytes of CUDA's context and libraries that are counted. */
    static long context(PredictionRequest request) {
        return DeviceLines.bytes(request.deviceLines());
    }
}
