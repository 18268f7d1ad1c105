import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The tests of a JUnit class one by one, a recording each; a class that does more than that is one case as a whole. */
final class Cases {
    private Cases() {}

    /** What may fail. */
    interface Body {
        void run() throws Throwable;
    }

    /** A test, or a test with one of its arguments. */
    record Case(String name, Body body) {
        boolean passes() {
            try {
                body.run();
                return true;
            } catch (ThreadDeath e) {
                throw e;
            } catch (Throwable e) {
                return false;
            }
        }
    }

    static List<Case> of(Class<?> test) throws Exception {
        List<Case> out = new ArrayList<>();
        for (Method m : test.getDeclaredMethods()) {
            m.setAccessible(true);
            Set<String> kinds = Arrays.stream(m.getAnnotations())
                    .map(a -> a.annotationType().getSimpleName())
                    .collect(Collectors.toSet());
            String name = test.getSimpleName() + "." + m.getName();
            if (kinds.contains("Test") && m.getParameterCount() == 0) {
                out.add(new Case(name, () -> call(test, m)));
            } else if (kinds.contains("TestFactory")) {
                for (Object o : all(m.invoke(instance(test)))) {
                    DynamicTest dynamic = (DynamicTest) o;
                    out.add(new Case(name + " " + dynamic.getDisplayName(), () -> dynamic.getExecutable()
                            .execute()));
                }
            } else if (kinds.contains("ParameterizedTest") && m.isAnnotationPresent(MethodSource.class)) {
                for (Object[] row : rows(test, m)) {
                    out.add(new Case(name + " " + Arrays.toString(row), () -> call(test, m, row)));
                }
            } else if (kinds.stream().anyMatch(k -> k.endsWith("Test") || k.equals("Property") || k.equals("Example"))) {
                return List.of(new Case(test.getSimpleName(), () -> launch(test)));
            }
        }
        return out;
    }

    private static List<Object[]> rows(Class<?> test, Method m) throws Exception {
        String[] named = m.getAnnotation(MethodSource.class).value();
        boolean own = named.length == 0 || named[0].isEmpty();
        Method source = test.getDeclaredMethod(own ? m.getName() : named[0]);
        source.setAccessible(true);
        return all(source.invoke(null)).stream()
                .map(o -> o instanceof Arguments a ? a.get() : new Object[] {o})
                .filter(row -> row.length == m.getParameterCount())
                .toList();
    }

    private static List<Object> all(Object made) {
        List<Object> out = new ArrayList<>();
        Iterator<?> each = made instanceof Stream<?> s ? s.iterator() : ((Iterable<?>) made).iterator();
        each.forEachRemaining(out::add);
        return out;
    }

    private static Object instance(Class<?> test) throws ReflectiveOperationException {
        Constructor<?> made = test.getDeclaredConstructor();
        made.setAccessible(true);
        return made.newInstance();
    }

    private static void call(Class<?> test, Method m, Object... arguments) throws Throwable {
        try {
            Object on = Modifier.isStatic(m.getModifiers()) ? null : instance(test);
            prepare(test, on);
            m.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Runs what comes before each test, that of the class it extends first. */
    private static void prepare(Class<?> test, Object on) throws ReflectiveOperationException {
        if (test.getSuperclass() != Object.class) {
            prepare(test.getSuperclass(), on);
        }
        for (Method before : test.getDeclaredMethods()) {
            if (before.isAnnotationPresent(BeforeEach.class)) {
                before.setAccessible(true);
                before.invoke(on);
            }
        }
    }

    private static void launch(Class<?> test) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(test))
                                .build(),
                        listener);
        if (listener.getSummary().getTotalFailureCount() > 0
                || listener.getSummary().getTestsFoundCount() == 0) {
            throw new AssertionError(test.getSimpleName());
        }
    }
}
