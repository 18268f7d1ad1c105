package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.predict.RunPlayer;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator case as Headroom plays it.
 *
 * @param events in order, as a recording has them
 * @param unmodelled operators that had no rule
 */
public record PlayedCase(List<OperatorCase.Event> events, List<String> unmodelled) {
    private static final int STEPS = 2;

    /** Plays a case. */
    public static PlayedCase play(OperatorCase recorded) {
        Simulation played = play(recorded, List.of());
        return new PlayedCase(events(played), List.copyOf(played.unmodelled().keySet()));
    }

    /** Plays a case under a regime. */
    public static Simulation play(OperatorCase recorded, List<LoopHook> regime) {
        Scenario run = run(recorded);
        JsonNode capability = recorded.device().path("capability");
        DeviceModel device = new DeviceModel(
                capability.path(0).asInt(),
                capability.path(1).asInt(),
                recorded.device().path("sms").asInt());
        return new RunPlayer(device, AllocatorSettings.parse(""), () -> new SimulatedDeviceMemory(1L << 41, 0))
                .with(regime)
                .play(graph(recorded), run);
    }

    /** The program of a case. */
    public static Graph graph(OperatorCase recorded) {
        try {
            Path file = Files.createTempFile("case", ".pt2");
            try {
                recorded.writeArchive(file);
                return Importers.read(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Scenario run(OperatorCase recorded) {
        boolean nullLibraries = recorded.device().path("null_libraries").asBoolean();
        Scenario run = Scenario.defaults()
                .with(TORCH, TorchVersion.of(recorded.device().path("torch").asText()))
                .with(OPTIMIZER, OptimizerKind.NONE)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(INFERENCE, recorded.mode().equals("inference"))
                .with(CHANNELS_LAST, recorded.root().path("channels_last").asBoolean())
                .with(CUDNN_WORKSPACE, nullLibraries ? CudnnWorkspace.NONE : CudnnWorkspace.AUTO)
                .with(LOSS, LossKind.OUTPUT)
                .with(AMP, recorded.autocast() ? DType.BFLOAT16 : null);
        return run.loop().inference() ? run : run.with(LOSS, loss(recorded));
    }

    private static LossKind loss(OperatorCase recorded) {
        return switch (recorded.root().path("loss").asText()) {
            case "mse" -> LossKind.MSE;
            case "sum" -> LossKind.SUM;
            default -> LossKind.OUTPUT;
        };
    }

    private static List<OperatorCase.Event> events(Simulation played) {
        List<OperatorCase.Event> out = new ArrayList<>();
        EventLog log = played.log();
        int[] number = new int[log.storages()];
        int made = 0;
        int phase = 0;
        for (int i = 0; i <= log.size(); i++) {
            for (; phase < played.phases().size() && played.history().end(phase) == i; phase++) {
                Moment ended = played.phases().get(phase).moment();
                if (ended.phase() != Phase.OPTIMIZER) {
                    out.add(new OperatorCase.Phase(ended.label()));
                }
            }
            if (i == log.size()) {
                break;
            }
            int storage = log.storage(i);
            if (log.requested(storage) == 0) {
                continue;
            }
            if (log.isFree(i)) {
                out.add(new OperatorCase.Free(number[storage]));
            } else if (number[storage] == 0) {
                number[storage] = ++made;
                var who = played.madeBy(storage);
                out.add(new OperatorCase.Allocation(log.requested(storage), who.operator()));
            }
        }
        return out;
    }

    /** The first event that differs from the recording, or "" when all are the same. */
    public String divergence(OperatorCase recorded) {
        List<OperatorCase.Event> want = recorded.events();
        String phase = "start";
        for (int i = 0; i < Math.max(want.size(), events.size()); i++) {
            OperatorCase.Event w = i < want.size() ? want.get(i) : null;
            OperatorCase.Event g = i < events.size() ? events.get(i) : null;
            if (!same(w, g)) {
                return "after " + phase + ", event " + i + ": recorded " + text(w, want) + ", played " + text(g, events)
                        + context(want, i);
            }
            if (w instanceof OperatorCase.Phase p) {
                phase = p.name();
            }
        }
        return "";
    }

    private static String context(List<OperatorCase.Event> want, int at) {
        StringBuilder out = new StringBuilder("\n    recorded before:");
        for (int i = Math.max(0, at - 4); i < at; i++) {
            out.append(" [").append(text(want.get(i), want)).append(']');
        }
        return out.toString();
    }

    private static boolean same(OperatorCase.@Nullable Event a, OperatorCase.@Nullable Event b) {
        if (a instanceof OperatorCase.Allocation x && b instanceof OperatorCase.Allocation y) {
            return x.bytes() == y.bytes();
        }
        return a != null && a.equals(b);
    }

    private static String text(OperatorCase.@Nullable Event e, List<OperatorCase.Event> all) {
        if (e instanceof OperatorCase.Allocation a) {
            return "+" + a.bytes() + " (" + a.madeBy() + ")";
        }
        if (e instanceof OperatorCase.Free f) {
            int n = 0;
            for (OperatorCase.Event x : all) {
                if (x instanceof OperatorCase.Allocation a && ++n == f.allocation()) {
                    return "-" + a.bytes() + " #" + n + " (" + a.madeBy() + ")";
                }
            }
        }
        return e instanceof OperatorCase.Phase p ? "end of " + p.name() : "nothing";
    }

    /** Recorded and played events, one pair a line; marked from the first that differs on. */
    public String sideBySide(OperatorCase recorded) {
        List<OperatorCase.Event> want = recorded.events();
        StringBuilder out = new StringBuilder(recorded.name());
        for (int i = 0; i < Math.max(want.size(), events.size()); i++) {
            OperatorCase.Event w = i < want.size() ? want.get(i) : null;
            OperatorCase.Event g = i < events.size() ? events.get(i) : null;
            out.append(String.format("%n%s %-90s | %s", same(w, g) ? " " : "!", text(w, want), text(g, events)));
        }
        return out.toString();
    }
}
