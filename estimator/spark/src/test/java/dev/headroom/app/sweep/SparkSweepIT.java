package dev.headroom.app.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.command.Main;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipFile;
import org.apache.spark.deploy.SparkSubmit;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as {@code spark-submit} runs it, on a cluster of two workers on this machine, each a process of its own. */
class SparkSweepIT {
    private static final Path MODELS =
            Path.of("../../fixtures/models").toAbsolutePath().normalize();
    private static final String JAR = Objects.requireNonNull(System.getProperty("headroom.spark"));
    private static final String GRID = "- model: cnn-small.pt2\n  batch: 1..12\n  gpu: [rtx-3090, a10]\n"
            + "- model: [nowhere.pt2, mlp-xor.pt2]\n  optimizer: [sgd, adamw]\n";

    private static final Path SPARK = Path.of("target/spark").toAbsolutePath();
    /** Folders in jars of the class path that are none of Spark's; its own Jackson lies there already. */
    private static final List<String> OURS = List.of(
            "dev/headroom/",
            "blue/strategic/",
            "org/slf4j/nop/",
            "com/fasterxml/jackson/annotation/",
            "com/fasterxml/jackson/core/",
            "com/fasterxml/jackson/databind/",
            "com/fasterxml/jackson/dataformat/");

    @TempDir
    Path folder;

    /** Makes what a folder of Spark holds: the jars that it is released with, and nothing of Headroom. */
    @BeforeAll
    static void home() throws IOException {
        Files.createDirectories(SPARK.resolve("jars"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (Files.isRegularFile(jar) && isSparks(jar)) {
                Path link = SPARK.resolve("jars").resolve(jar.getFileName());
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, jar);
            }
        }
    }

    private static boolean isSparks(Path jar) throws IOException {
        try (ZipFile file = new ZipFile(jar.toFile())) {
            return OURS.stream().noneMatch(name -> file.getEntry(name) != null);
        }
    }

    @Test
    void rowsAreThoseOfOneMachine() throws Exception {
        Path grid = Files.writeString(folder.resolve("grid.yaml"), GRID);
        for (String name : List.of("out.csv", "out.jsonl", "out.parquet")) {
            Path one = folder.resolve("one-" + name);
            Path all = folder.resolve("all-" + name);
            run(java(System.getProperty("java.class.path"), Main.class, "sweep", grid, "-o", one));
            run(submit("local-cluster[2,1,1024]", grid, "-o", all));
            if (name.endsWith(".parquet")) {
                assertEquals(-1, Files.mismatch(one, all));
            } else {
                assertEquals(Files.readString(one), Files.readString(all));
            }
        }
        String rows = Files.readString(folder.resolve("all-out.jsonl"));
        assertEquals(28, rows.lines().count());
        assertTrue(rows.contains("nowhere.pt2 does not exist"), rows);
    }

    @Test
    void goesOnWhereOneMachineWasKilled() throws Exception {
        Path grid = Files.writeString(folder.resolve("grid.yaml"), GRID);
        Path table = folder.resolve("out.jsonl");
        run(java(System.getProperty("java.class.path"), Main.class, "sweep", grid, "-o", table));
        List<String> whole = Files.readAllLines(table);
        Scenarios scenarios = Scenarios.read(grid);
        StringBuilder journal = new StringBuilder(SweepIdentity.of(scenarios)).append('\n');
        whole.stream().limit(9).forEach(row -> journal.append(row).append('\n'));
        Files.writeString(folder.resolve("out.jsonl.part"), journal);
        Files.delete(table);
        String said = run(submit("local[2]", grid, "-o", table));
        assertTrue(said.contains("9 were done before"), said);
        assertEquals(whole, Files.readAllLines(table));
    }

    private List<String> submit(String master, Object... words) {
        List<Object> line = new ArrayList<>(List.of("--master", master, "--class", SparkSweep.class.getName()));
        line.addAll(List.of("--conf", "spark.ui.enabled=false", "--conf", "spark.driver.bindAddress=127.0.0.1"));
        line.addAll(List.of("--files", MODELS.resolve("cnn-small.pt2") + "," + MODELS.resolve("mlp-xor.pt2"), JAR));
        line.addAll(Arrays.asList(words));
        List<String> all = java(SPARK + "/jars/*", SparkSubmit.class, line.toArray());
        all.addAll(1, Arrays.asList(JavaModuleOptions.defaultModuleOptions().split(" ")));
        return all;
    }

    private static List<String> java(String path, Class<?> main, Object... words) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", path, main.getName()));
        Arrays.stream(words).forEach(word -> line.add(word.toString()));
        return line;
    }

    private String run(List<String> line) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(MODELS.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("SPARK_HOME", SPARK.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        int status = builder.start().waitFor();
        String said = Files.readString(log, StandardCharsets.UTF_8);
        assertEquals(0, status, said);
        return said;
    }
}
