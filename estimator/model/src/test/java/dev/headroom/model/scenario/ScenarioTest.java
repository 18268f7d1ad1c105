package dev.headroom.model.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScenarioTest {
    /** A value that a field does not have by default. */
    private static Object other(Field field, Object value) throws ReflectiveOperationException {
        Class<?> type = field.getType();
        if (type == boolean.class) {
            return !(boolean) value;
        }
        if (type == Boolean.class) {
            return true;
        }
        if (type == int.class) {
            return (int) value + 7;
        }
        if (type == Long.class) {
            return 7L;
        }
        if (type == String.class) {
            return "2.3";
        }
        if (type == List.class) {
            return List.of("a.*");
        }
        if (type == Map.class) {
            return Map.of("x.1", 7L);
        }
        if (type.isEnum()) {
            Object[] values = type.getEnumConstants();
            return values[0] == value ? values[1] : values[0];
        }
        throw new IllegalStateException("say how to change " + field);
    }

    private static void change(Object options) throws ReflectiveOperationException {
        for (Field field : options.getClass().getFields()) {
            if (field.getType() == OptimizerOptions.class) {
                change(field.get(options));
            } else if (!Modifier.isStatic(field.getModifiers())) {
                field.set(options, other(field, field.get(options)));
            }
        }
    }

    private static void assertCopied(Object from, Object to, Object fresh) throws ReflectiveOperationException {
        assertNotSame(from, to);
        for (Field field : from.getClass().getFields()) {
            if (field.getType() == OptimizerOptions.class) {
                assertCopied(field.get(from), field.get(to), field.get(fresh));
            } else if (!Modifier.isStatic(field.getModifiers())) {
                assertEquals(field.get(from), field.get(to), field.getName());
                assertNotEquals(field.get(fresh), field.get(to), field.getName());
            }
        }
    }

    @Test
    void aCopyHasEveryOption() throws ReflectiveOperationException {
        Scenario run = new Scenario();
        change(run);
        assertCopied(run, run.copy(), new Scenario());
    }

    @Test
    void aCopyIsIndependent() {
        Scenario run = new Scenario();
        Scenario copy = run.copy();
        copy.dims.put("x.1", 7L);
        copy.optimizerOptions.amsgrad = true;
        assertEquals(Map.of(), run.dims);
        assertEquals(false, run.optimizerOptions.amsgrad);
    }
}
