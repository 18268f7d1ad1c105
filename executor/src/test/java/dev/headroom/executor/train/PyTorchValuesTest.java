package dev.headroom.executor.train;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same weights give the same loss, gradients and running statistics as in PyTorch. Runs where the environment
 * variable {@code HEADROOM_PYTHON}, or {@code python3}, is a Python that has PyTorch.
 */
class PyTorchValuesTest {
    private static final String PYTHON = System.getenv().getOrDefault("HEADROOM_PYTHON", "python3");
    private static boolean atHand;

    @TempDir
    Path folder;

    @BeforeAll
    static void look() throws IOException, InterruptedException {
        try {
            atHand = run(PYTHON, "-c", "import torch") == 0;
        } catch (IOException e) {
            atHand = false;
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }

    @ParameterizedTest
    @CsvSource({
        "mlp, FLOAT64, 1e-12", "cnn, FLOAT64, 1e-11", "gpt, FLOAT64, 1e-11",
        "mlp, FLOAT32, 1e-5", "cnn, FLOAT32, 1e-4", "gpt, FLOAT32, 1e-5"
    })
    void lossAndGradientsAreThoseOfPyTorch(String name, DType type, double tolerance)
            throws IOException, InterruptedException {
        assumeTrue(atHand, PYTHON + " has no PyTorch");
        Graph graph =
                switch (name) {
                    case "mlp" -> TinyModels.mlp();
                    case "cnn" -> TinyModels.cnn();
                    default -> TinyModels.gpt();
                };
        Scenario run = Scenario.defaults()
                .with(BATCH, 3L)
                .with(DTYPE, type)
                .with(OPTIMIZER, OptimizerKind.NONE)
                .with(LOSS, LossKind.CROSS_ENTROPY);
        try (HostBackend host = new HostBackend(1L << 30)) {
            Settings settings = new Settings(
                    GpuCatalogue.find("h200").orElseThrow(), run.kernels().attention(), 1);
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), host.memory()), host, settings);
            Training training = new Training(eager, Preparation.of(graph, run), p -> {});
            List<String> lines = new ArrayList<>();
            List<double[]> values = new ArrayList<>();
            Random random = new Random(7);
            training.prepare((input, t) -> {
                double[] drawn = drawn(t, random, input.equals("target") ? 4 : TinyModels.TOKENS);
                host.write(t, drawn);
                note(lines, values, input.equals("target") ? "target" : "input", input, t, drawn);
            });
            Map<String, Tensor> state = new TreeMap<>(training.model().all());
            state.forEach((tensor, t) -> {
                boolean parameter = training.model().parameters().containsKey(tensor);
                double[] drawn = parameter ? drawn(t, random, 1) : host.read(t);
                host.write(t, drawn);
                note(lines, values, parameter ? "parameter" : "buffer", tensor, t, host.read(t));
            });
            training.step(0);
            double[] expected = ask(name, lines, values);
            assertEquals(expected[0], training.loss(), tolerance * Math.abs(expected[0]));
            int at = 1;
            for (Map.Entry<String, Tensor> entry : state.entrySet()) {
                Tensor t = entry.getValue();
                boolean parameter = training.model().parameters().containsKey(entry.getKey());
                double[] got = host.read(parameter ? t.grad() : t);
                assertClose(expected, at, got, tolerance, entry.getKey());
                at += got.length;
            }
            assertEquals(expected.length, at);
        }
    }

    /** Whole numbers below a limit, or small multiples of 1/64, which every type holds. */
    private static double[] drawn(Tensor t, Random random, long limit) {
        double[] out = new double[(int) t.elements()];
        for (int i = 0; i < out.length; i++) {
            out[i] = t.dtype().isFloatingPoint() ? (random.nextInt(127) - 63) / 64.0 : random.nextInt((int) limit);
        }
        return out;
    }

    private static void note(
            List<String> lines, List<double[]> values, String kind, String name, Tensor t, double[] given) {
        StringBuilder line = new StringBuilder(kind + " " + name);
        for (long size : t.sizes()) {
            line.append(' ').append(size);
        }
        lines.add(line.toString());
        values.add(given);
    }

    /** What {@code compare.py} answers: the loss, then gradients and buffers. */
    private double[] ask(String name, List<String> lines, List<double[]> values)
            throws IOException, InterruptedException {
        Path script = folder.resolve("compare.py");
        try (InputStream in = PyTorchValuesTest.class.getResourceAsStream("compare.py")) {
            Files.copy(in, script);
        }
        int n = values.stream().mapToInt(v -> v.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(n * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        values.forEach(v -> Arrays.stream(v).forEach(bytes::putDouble));
        Files.write(folder.resolve("in.bin"), bytes.array());
        Files.write(folder.resolve("tensors.txt"), lines);
        assertEquals(0, run(PYTHON, script.toString(), name, folder.toString()), "compare.py");
        ByteBuffer answer =
                ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out.bin"))).order(ByteOrder.LITTLE_ENDIAN);
        double[] out = new double[answer.remaining() / Double.BYTES];
        for (int i = 0; i < out.length; i++) {
            out[i] = answer.getDouble();
        }
        return out;
    }

    private static void assertClose(double[] expected, int at, double[] got, double tolerance, String what) {
        double difference = 0;
        double size = 0;
        for (int i = 0; i < got.length; i++) {
            difference += (expected[at + i] - got[i]) * (expected[at + i] - got[i]);
            size += expected[at + i] * expected[at + i];
        }
        double error = Math.sqrt(difference) / Math.max(Math.sqrt(size), 1e-3);
        assertTrue(error <= tolerance, () -> what + ": relative error " + error);
    }
}
