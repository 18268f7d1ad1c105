package dev.headroom.model.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.plan.TensorPlan;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScenarioTest {
    private static final List<Class<?>> TABLES = List.of(
            ScenarioSettings.class,
            OptimizerSettings.class,
            FeedSettings.class,
            TrainerSettings.class,
            ModelSettings.class,
            GenerationSettings.class,
            QuantSettings.class,
            AdapterSettings.class,
            ParallelSettings.class);

    /** A value that is not the default. */
    private static Object other(Type type, Object value) {
        if (type instanceof ParameterizedType generic) {
            if (generic.getActualTypeArguments()[0] == Integer.class) {
                return List.of(2, 4);
            }
            return generic.getRawType() == List.class ? List.of("a.*") : Map.of("x.1", 7L);
        }
        Class<?> c = (Class<?>) type;
        if (c.isEnum()) {
            Object[] values = c.getEnumConstants();
            return values[0] == value ? values[1] : values[0];
        }
        Map<Class<?>, Object> others = Map.of(
                Integer.class,
                7,
                Long.class,
                7L,
                String.class,
                "max_split_size_mb:64",
                TensorPlan.class,
                new TensorPlan("plan.json", List.of()),
                Double.class,
                7.5,
                DType.class,
                DType.BFLOAT16,
                CudnnWorkspace.class,
                CudnnWorkspace.of(7),
                CudnnVersion.class,
                new CudnnVersion(9, 10),
                TorchVersion.class,
                TorchVersion.of("2.3"),
                Gpu.class,
                GpuCatalogue.find("h200").orElseThrow());
        return c == Boolean.class ? (Object) !Boolean.TRUE.equals(value) : others.get(c);
    }

    private static Map<String, Setting<?>> settings() throws IllegalAccessException {
        Map<String, Setting<?>> out = new LinkedHashMap<>();
        for (Class<?> table : TABLES) {
            for (Field field : table.getFields()) {
                out.put(field.getName(), (Setting<?>) field.get(null));
            }
        }
        assertEquals(Set.copyOf(out.values()), Set.copyOf(ScenarioSettings.all()));
        assertEquals(out.size(), ScenarioSettings.all().size());
        return out;
    }

    @SuppressWarnings("unchecked")
    private static Scenario changed(Scenario scenario, String name) throws ReflectiveOperationException {
        Class<?> table = TABLES.stream()
                .filter(t ->
                        Arrays.stream(t.getFields()).anyMatch(f -> f.getName().equals(name)))
                .findFirst()
                .orElseThrow();
        Field field = table.getField(name);
        Setting<Object> setting = (Setting<Object>) field.get(null);
        Type type = ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
        return scenario.with(setting, other(type, setting.get(scenario)));
    }

    @Test
    void everySettingChangesItselfAlone() throws ReflectiveOperationException {
        Map<String, Setting<?>> all = settings();
        for (String name : all.keySet()) {
            Scenario changed = changed(Scenario.defaults(), name);
            all.forEach((each, setting) -> {
                Object before = setting.get(Scenario.defaults());
                if (each.equals(name)) {
                    assertNotEquals(before, setting.get(changed), name);
                } else if (!each.equals("INFERENCE") || !name.equals("GENERATE")) { // who generates infers
                    assertEquals(before, setting.get(changed), each + " after a change of " + name);
                }
            });
        }
    }

    @Test
    void isAKey() throws ReflectiveOperationException {
        Map<Scenario, String> cache = new HashMap<>();
        List<String> names = new ArrayList<>(settings().keySet());
        for (String name : names) {
            cache.put(changed(Scenario.defaults(), name), name);
        }
        for (String name : names) {
            assertEquals(name, cache.get(changed(Scenario.builder().build(), name)));
        }
    }

    @Test
    void buildersAndWithersMakeTheSame() {
        Scenario built = Scenario.builder()
                .batch(8)
                .dim("seq", 512)
                .optimizer(OptimizerKind.SGD)
                .amp(DType.BFLOAT16)
                .checkpointModules("body.*")
                .torch("2.6")
                .build();
        Scenario changed = Scenario.defaults()
                .with(ScenarioSettings.BATCH, 8L)
                .withDim("seq", 512)
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD)
                .with(ScenarioSettings.AMP, DType.BFLOAT16)
                .with(ScenarioSettings.CHECKPOINT_MODULES, List.of("body.*"))
                .with(ScenarioSettings.TORCH, new TorchVersion(2, 6));
        assertEquals(changed, built);
        assertEquals(built, built.toBuilder().build());
    }

    @Test
    void keepsNothingThatOthersCanChange() {
        Map<String, Long> dims = new LinkedHashMap<>(Map.of("x.1", 7L));
        Scenario run = Scenario.defaults().with(ScenarioSettings.DIMS, dims);
        dims.put("x.1", 8L);
        assertEquals(Map.of("x.1", 7L), run.sizes().dims());
        assertThrows(
                UnsupportedOperationException.class, () -> run.sizes().dims().put("x.1", 9L));
    }
}
