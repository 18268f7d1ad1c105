package dev.headroom.executor.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.train.Training;
import dev.headroom.model.device.GpuCatalogue;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing grows from step to step. */
class LongRunTest {
    private static final Set<String> LONG =
            Set.of("perceptron", "accumulated", "adam, foreach TRUE", "amp fp16", "checkpoints, re-entrant false");

    static Stream<FaultScenario> scenarios() {
        return FaultScenario.all();
    }

    static Stream<FaultScenario> longScenarios() {
        return FaultScenario.all().filter(s -> LONG.contains(s.name()));
    }

    @ParameterizedTest
    @MethodSource("longScenarios")
    void aThousandStepsAreLikeTheThird(FaultScenario s) throws IllegalAccessException {
        nothingGrows(s, 1_000);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void allStepsAreLikeTheThird(FaultScenario s) throws IllegalAccessException {
        nothingGrows(s, 30);
    }

    private static void nothingGrows(FaultScenario s, int steps) throws IllegalAccessException {
        try (HostBackend host = new HostBackend(1L << 30);
                Eager eager = new Eager(
                        new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                        host,
                        new Settings(
                                GpuCatalogue.find("h200").orElseThrow(),
                                s.run().kernels().attention(),
                                1));
                Training training = new Training(eager, Preparation.of(s.graph(), s.run()), p -> {})) {
            training.prepare((name, t) -> eager.backend().random().uniform(t, 0, 1, name.hashCode()));
            for (int i = 0; i < 3; i++) {
                training.step(i);
            }
            var statistics = eager.allocator().statistics();
            long allocated = statistics.allocatedBytes().current();
            long peak = statistics.allocatedBytes().peak();
            int alive = eager.log().alive();
            Map<String, Long> elements = elements(eager, training);
            for (int i = 3; i < steps; i++) {
                training.step(i);
                assertEquals(allocated, statistics.allocatedBytes().current(), "after step " + i);
            }
            assertEquals(peak, statistics.allocatedBytes().peak());
            assertEquals(alive, eager.log().alive());
            assertEquals(elements, elements(eager, training));
            assertTrue(elements.size() > 5, elements::toString);
        }
    }

    /**
     * How many elements the collections and arrays hold that are reachable through fields of this project's objects, by
     * the field that holds them.
     */
    private static Map<String, Long> elements(Object... roots) throws IllegalAccessException {
        Map<String, Long> sizes = new TreeMap<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Object> queue = new ArrayDeque<>();
        for (Object root : roots) {
            queue.add(root);
        }
        while (!queue.isEmpty()) {
            Object o = queue.poll();
            if (!seen.add(o)) {
                continue;
            }
            if (o instanceof Collection<?> c) {
                c.stream().filter(e -> e != null).forEach(queue::add);
            } else if (o instanceof Map<?, ?> m) {
                m.keySet().forEach(queue::add);
                m.values().stream().filter(e -> e != null).forEach(queue::add);
            } else if (o instanceof Object[] array) {
                for (Object e : array) {
                    if (e != null) {
                        queue.add(e);
                    }
                }
            } else if (o.getClass().getName().startsWith("dev.headroom.executor")) {
                fields(o, sizes, queue);
            }
        }
        return sizes;
    }

    private static void fields(Object o, Map<String, Long> sizes, ArrayDeque<Object> queue)
            throws IllegalAccessException {
        for (Field f : o.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(f.getModifiers()) || f.getType().isPrimitive()) {
                continue;
            }
            f.setAccessible(true);
            Object value = f.get(o);
            if (value == null) {
                continue;
            }
            Integer size = value instanceof Collection<?> c
                    ? (Integer) c.size()
                    : value instanceof Map<?, ?> m ? (Integer) m.size() : null;
            if (size != null) {
                sizes.merge(o.getClass().getSimpleName() + "." + f.getName(), (long) size, Long::sum);
            }
            queue.add(value);
        }
    }
}
