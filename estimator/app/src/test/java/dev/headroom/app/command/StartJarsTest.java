package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.commons.GeneratorAdapter;

/** The jars that start faster do what the jars do that they are made of. */
class StartJarsTest {
    private static final String LAMBDAS = String.join(
            "\n",
            "import java.util.*;",
            "import java.util.function.*;",
            "public class Lambdas implements Supplier<String> {",
            "    interface Greets { String greet(); default Supplier<String> twice() { return () -> greet() + own(); }",
            "        private String own() { return \"!\"; } }",
            "    static class Base { protected String name() { return \"base\"; } }",
            "    static class Derived extends Base {",
            "        protected String name() { return \"derived\"; }",
            "        Supplier<String> parents() { return super::name; } }",
            "    static class Box<T extends Comparable<T>> { private final T value; private Box(T value) { this.value = value; }",
            "        private int compare(Box<T> other) { return value.compareTo(other.value); } }",
            "    private final int seven = 7;",
            "    private int plus(int other) { return seven + other; }",
            "    private static long sum(long... of) { long sum = 0; for (long l : of) sum += l; return sum; }",
            "    public String get() {",
            "        List<Object> seen = new ArrayList<>();",
            "        IntUnaryOperator plus = this::plus;",
            "        seen.add(plus.applyAsInt(1));",
            "        Function<Integer, Long> widens = i -> (long) i * seven;",
            "        seen.add(widens.apply(3));",
            "        Function<Integer, Integer> unboxes = this::plus;",
            "        seen.add(unboxes.apply(4));",
            "        ToLongFunction<Integer> wider = Integer::intValue;",
            "        seen.add(wider.applyAsLong(5));",
            "        ToDoubleFunction<Integer> adds = i -> i + 0.5;",
            "        seen.add(adds.applyAsDouble(6));",
            "        Function<Long, Long> varargs = Lambdas::sum;",
            "        seen.add(varargs.apply(8L));",
            "        BiFunction<Box<String>, Box<String>, Integer> compares = Box::compare;",
            "        Function<String, Box<String>> makes = Box::new;",
            "        seen.add(compares.apply(makes.apply(\"a\"), makes.apply(\"b\")));",
            "        IntFunction<long[][]> arrays = long[][]::new;",
            "        seen.add(arrays.apply(2).length);",
            "        Consumer<String> drops = seen::add;",
            "        drops.accept(\"dropped\");",
            "        Greets greets = () -> \"hello\";",
            "        seen.add(greets.twice().get());",
            "        seen.add(new Derived().parents().get());",
            "        Comparator<Map.Entry<String, Integer>> byValue = Map.Entry.comparingByValue();",
            "        seen.add(byValue.compare(Map.entry(\"x\", 1), Map.entry(\"y\", 2)));",
            "        long far = 9; double half = 0.5; char c = 'c'; boolean yes = true;",
            "        Supplier<String> captures = () -> \"\" + far + half + c + yes + seven;",
            "        seen.add(captures.get());",
            "        ObjIntConsumer<List<Object>> both = (list, i) -> list.add(i);",
            "        both.accept(seen, 10);",
            "        return seen.toString();",
            "    }",
            "}");

    private static final String RECORDS = String.join(
            "\n",
            "import java.util.*;",
            "import java.util.function.*;",
            "public class Records implements Supplier<String> {",
            "    record All(boolean z, byte b, char c, short s, int i, long j, float f, double d, String t, int[] a) {}",
            "    record None() {}",
            "    record Own(int i) { public int hashCode() { return 7; } }",
            "    public String get() {",
            "        int[] a = {1}; float nan = Float.NaN; List<Object> seen = new ArrayList<>();",
            "        All one = new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, null, a);",
            "        List<Object> others = new ArrayList<>(List.of(one, new None(), new Own(3), new Own(4), \"all\"));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(false, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -2, 'c', (short) 2, 3, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'd', (short) 2, 3, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 1, 3, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 4, 1L << 40, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 41, nan, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, 1f, -0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, 0.0, null, a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, \"\", a));",
            "        others.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, null, new int[] {1}));",
            "        others.add(null);",
            "        for (Object left : others) for (Object right : others) seen.add(left != null && left.equals(right));",
            "        for (Object of : others) if (!(of instanceof All all) || all.a() == null) seen.add(Objects.hashCode(of));",
            "        seen.add(new All(true, (byte) -1, 'c', (short) 2, 3, 1L << 40, nan, -0.0, \"t\", null).hashCode());",
            "        return seen.toString();",
            "    }",
            "}");

    @TempDir
    Path folder;

    private static void compile(Path source, Path out, String... more) {
        List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-d", out.toString()));
        options.addAll(List.of(more));
        options.add(source.toString());
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
        int status = ToolProvider.findFirst("javac").orElseThrow().run(to, to, options.toArray(String[]::new));
        assertEquals(0, status, said.toString(StandardCharsets.UTF_8));
    }

    private static void jar(Path classes, Path jar) throws Exception {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.list(classes)) {
            for (Path c : (Iterable<Path>) files::iterator) {
                out.putNextEntry(new JarEntry(c.getFileName().toString()));
                out.write(Files.readAllBytes(c));
                out.closeEntry();
            }
        }
    }

    private static String told(String type, Path jar) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            Object tells = loader.loadClass(type).getConstructor().newInstance();
            return (String) tells.getClass().getMethod("get").invoke(tells);
        }
    }

    private static String path(Class<?> of) throws Exception {
        return Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    private Path made(String type, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(type + ".java"), source);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        compile(file, classes, "--release", "17");
        Path jar = Files.createDirectories(folder.resolve("jars")).resolve("it-1.jar");
        jar(classes, jar);
        return jar;
    }

    private void run(String tool, String... args) throws Exception {
        Path made = Files.createDirectories(folder.resolve("tool"));
        String asm = String.join(File.pathSeparator, path(ClassReader.class), path(GeneratorAdapter.class));
        compile(Path.of("src/start", tool + ".java").toAbsolutePath(), made, "-cp", asm);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {made.toUri().toURL()}, getClass().getClassLoader())) {
            loader.loadClass(tool).getMethod("main", String[].class).invoke(null, (Object) args);
        }
    }

    @Test
    void recordsCompareAndHashAsJavaMakesThem() throws Exception {
        Path jar = made("Records", RECORDS);
        Path start = Files.createDirectories(folder.resolve("start"));
        Path copy = Files.copy(jar, start.resolve("it-1.jar"));
        run("RecordMethods", start.toString(), "1");
        assertEquals(told("Records", jar), told("Records", copy));
        try (JarFile file = new JarFile(copy.toFile())) {
            byte[] code =
                    file.getInputStream(file.getEntry("Records$All.class")).readAllBytes();
            String text = new String(code, StandardCharsets.ISO_8859_1);
            assertTrue(text.contains("equals$$Record") && text.contains("hashCode$$Record"));
        }
    }

    @Test
    void classesDoWhatLambdasDo() throws Exception {
        Path jar = made("Lambdas", LAMBDAS);
        Path start = folder.resolve("start");
        run("LambdaClasses", start.toString(), "1", jar.getParent().toString());
        assertEquals(told("Lambdas", jar), told("Lambdas", start.resolve("it-1.jar")));
        try (JarFile made = new JarFile(start.resolve("it-1.jar").toFile())) {
            byte[] code = made.getInputStream(made.getEntry("Lambdas.class")).readAllBytes();
            assertFalse(new String(code, StandardCharsets.ISO_8859_1).contains("metafactory"));
            assertEquals(
                    15,
                    made.stream().filter(e -> e.getName().contains("$$Lambda")).count());
        }
    }
}
