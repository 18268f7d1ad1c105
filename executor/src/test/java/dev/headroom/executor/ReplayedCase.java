package dev.headroom.executor;

import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.executor.train.Training;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A recorded operator as the executor runs it, on an allocator whose kernels do nothing.
 *
 * @param events in order, as a recording has them; sizes as the allocator rounds them
 */
record ReplayedCase(List<OperatorCase.Event> events) {
    private static final int STEPS = 2;
    private static final long GRANULE = 512;

    /** Larger blocks may be a little larger than asked for: what is left of a cached one is not cut off. */
    private static final long UNCUT = 1 << 20;

    static ReplayedCase play(OperatorCase recorded) {
        Scenario run = run(recorded);
        try (Backend none = NoKernels.over(1L << 41)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), none.memory()),
                    none,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            run.kernels().attention(),
                            1));
            eager.log().keepChanges();
            Map<Integer, List<String>> phases = new HashMap<>();
            Training training = new Training(eager, Preparation.of(graph(recorded), run), p -> phases.computeIfAbsent(
                            eager.log().changes().size(), k -> new ArrayList<>())
                    .add(p.moment().label()));
            training.prepare((name, t) -> {});
            training.run();
            return new ReplayedCase(events(eager.log(), phases));
        }
    }

    private static Graph graph(OperatorCase recorded) {
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
        Scenario run = Scenario.defaults()
                .with(OPTIMIZER, OptimizerKind.NONE)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(INFERENCE, recorded.mode().equals("inference"))
                .with(CHANNELS_LAST, recorded.root().path("channels_last").asBoolean())
                .with(LOSS, LossKind.OUTPUT);
        return run.loop().inference() ? run : run.with(LOSS, loss(recorded));
    }

    private static LossKind loss(OperatorCase recorded) {
        return switch (recorded.root().path("loss").asText()) {
            case "mse" -> LossKind.MSE;
            case "sum" -> LossKind.SUM;
            default -> LossKind.OUTPUT;
        };
    }

    private static List<OperatorCase.Event> events(MemoryLog log, Map<Integer, List<String>> phases) {
        List<OperatorCase.Event> out = new ArrayList<>();
        Map<Long, Integer> numbers = new HashMap<>();
        List<MemoryLog.Change> changes = log.changes();
        for (int i = 0; i <= changes.size(); i++) {
            for (String phase : phases.getOrDefault(i, List.of())) {
                if (!phase.startsWith("optimizer")) {
                    out.add(new OperatorCase.Phase(phase));
                }
            }
            if (i < changes.size()) {
                MemoryLog.Change c = changes.get(i);
                out.add(
                        c.bytes() < 0
                                ? new OperatorCase.Free(numbers.get(c.storage()))
                                : new OperatorCase.Allocation(
                                        c.bytes(), c.owner().operator()));
                if (c.bytes() >= 0) {
                    numbers.put(c.storage(), numbers.size() + 1);
                }
            }
        }
        return out;
    }

    /** The first event that differs from the recording, or "" when all are the same. */
    String divergence(OperatorCase recorded) {
        List<OperatorCase.Event> want = recorded.events();
        String phase = "start";
        for (int i = 0; i < want.size(); i++) {
            OperatorCase.Event w = want.get(i);
            OperatorCase.Event g = i < events.size() ? events.get(i) : null;
            if (!same(w, g)) {
                return "after " + phase + ", event " + i + ": recorded " + w + ", executed " + g;
            }
            if (w instanceof OperatorCase.Phase p) {
                phase = p.name();
            }
        }
        return "";
    }

    private static boolean same(OperatorCase.Event recorded, OperatorCase.Event shown) {
        if (recorded instanceof OperatorCase.Allocation x && shown instanceof OperatorCase.Allocation y) {
            long rounded = (x.bytes() + GRANULE - 1) / GRANULE * GRANULE;
            return y.bytes() == rounded || rounded > UNCUT && y.bytes() > rounded && y.bytes() - rounded <= UNCUT;
        }
        return recorded.equals(shown);
    }
}
