package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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

    private static String told(Path jar) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            Object lambdas = loader.loadClass("Lambdas").getConstructor().newInstance();
            return (String) lambdas.getClass().getMethod("get").invoke(lambdas);
        }
    }

    private static String path(Class<?> of) throws Exception {
        return Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    @Test
    void classesDoWhatLambdasDo() throws Exception {
        Path source = folder.resolve("Lambdas.java");
        Files.writeString(source, LAMBDAS);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        compile(source, classes, "--release", "17");
        Path jars = Files.createDirectories(folder.resolve("jars"));
        jar(classes, jars.resolve("lambdas-1.jar"));

        Path tool = Files.createDirectories(folder.resolve("tool"));
        String asm = String.join(File.pathSeparator, path(ClassReader.class), path(GeneratorAdapter.class));
        compile(Path.of("src/start/LambdaClasses.java").toAbsolutePath(), tool, "-cp", asm);
        Path start = folder.resolve("start");
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {tool.toUri().toURL()}, getClass().getClassLoader())) {
            loader.loadClass("LambdaClasses").getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {start.toString(), "1", jars.toString()});
        }
        assertEquals(told(jars.resolve("lambdas-1.jar")), told(start.resolve("lambdas-1.jar")));
        try (JarFile made = new JarFile(start.resolve("lambdas-1.jar").toFile())) {
            byte[] code = made.getInputStream(made.getEntry("Lambdas.class")).readAllBytes();
            assertFalse(new String(code, StandardCharsets.ISO_8859_1).contains("metafactory"));
            assertEquals(
                    15,
                    made.stream().filter(e -> e.getName().contains("$$Lambda")).count());
        }
    }
}
