package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every operator's results and gradients in double precision against PyTorch's own, where the environment variable
 * {@code HEADROOM_PYTHON}, or {@code python3}, is a Python that has PyTorch and torchvision. What PyTorch refuses to
 * compute on the host is passed over.
 */
class PyTorchNumbersTest {
    private static final String PYTHON = System.getenv().getOrDefault("HEADROOM_PYTHON", "python3");

    /** Of the examples; the others are called in ways that PyTorch has for its own devices alone. */
    private static final int LEAST = 750;

    /** What draws numbers of its own, by name or by what its examples say. */
    private static final Set<String> DRAWN = Set.of(
            "dropout",
            "feature_dropout",
            "dropout_",
            "feature_dropout_",
            "bernoulli_",
            "rand",
            "randn",
            "rand_like",
            "randn_like",
            "uniform_",
            "normal_",
            "log_normal_",
            "exponential_",
            "cauchy_",
            "random_",
            "geometric_",
            "uniform",
            "log_normal",
            "exponential",
            "cauchy",
            "random",
            "geometric",
            "normal_functional",
            "poisson",
            "native_dropout");

    @TempDir
    Path folder;

    @Test
    void resultsAndGradientsAreThoseOfPyTorch() throws IOException, InterruptedException {
        assumeTrue(run(folder.resolve("found"), PYTHON, "-c", "import torch, torchvision") == 0, "no PyTorch");
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (Example example : Examples.all()) {
            boolean draws = example.toString().contains("dropout")
                    || DRAWN.contains(example.operator().replace("aten.", ""));
            if (!draws && !example.operator().startsWith("bitsandbytes.")) {
                all.add(described(example));
            }
        }
        Path examples = folder.resolve("examples.json");
        new ObjectMapper().writeValue(examples.toFile(), all);
        Path script = folder.resolve("compare_operators.py");
        try (InputStream in = PyTorchNumbersTest.class.getResourceAsStream("/pytorch-numbers.py")) {
            Files.copy(in, script);
        }
        Path said = folder.resolve("said");
        int status = run(said, PYTHON, script.toString(), examples.toString());
        List<String> lines = Files.readAllLines(said);
        assertEquals(0, status, () -> String.join("\n", lines));
        List<String> differing =
                lines.stream().filter(l -> l.startsWith("differs ")).toList();
        assertEquals(List.of(), differing);
        int checked = Integer.parseInt(lines.get(lines.size() - 1).split(" ")[0]);
        assertTrue(checked >= LEAST, checked + " examples compared");
    }

    private static int run(Path output, String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            return -1; // no such program
        }
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }

    private static ObjectNode described(Example example) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        out.put("label", example.toString()).put("operator", example.operator());
        ObjectNode arguments = out.putObject("arguments");
        for (Node.NamedArgument a : example.node().arguments()) {
            put(arguments, a.name(), a.value());
        }
        try (ExampleRun run = new ExampleRun(example, DType.FLOAT64)) {
            ObjectNode tensors = out.putObject("tensors");
            example.tensors().forEach((name, given) -> {
                ObjectNode t = tensors.putObject(name);
                t.put("type", given.type() == null ? "FLOAT64" : given.type().name());
                t.put("differentiable", given.differentiable());
                t.put("complex", example.isComplex(name));
                t.set("sizes", new ObjectMapper().valueToTree(given.sizes()));
                t.set("order", new ObjectMapper().valueToTree(given.order()));
                double[] values = given.fixed() != null
                        ? given.fixed()
                        : run.read(run.inputs().get(name));
                numbers(t, "values", values);
            });
            List<double[]> results = run.forward();
            Random random = new Random(5);
            List<double[]> weights = new ArrayList<>();
            ArrayNode shown = out.putArray("results");
            ArrayNode factors = out.putArray("weights");
            for (double[] r : results) {
                double[] w = r == null ? null : random.doubles(r.length, 0.5, 1).toArray();
                weights.add(w);
                numbers(shown.addObject(), "values", r);
                numbers(factors.addObject(), "values", w);
            }
            ObjectNode gradients = out.putObject("gradients");
            for (Map.Entry<String, double[]> g : run.gradients(weights).entrySet()) {
                numbers(gradients, g.getKey(), g.getValue());
            }
        }
        return out;
    }

    /** As texts, since JSON has no infinities. */
    private static void numbers(ObjectNode to, String name, double @Nullable [] values) {
        if (values == null) {
            to.putNull(name);
            return;
        }
        ArrayNode list = to.putArray(name);
        for (double v : values) {
            list.add(Double.toString(v));
        }
    }

    private static void put(ObjectNode to, String name, Argument value) {
        if (value instanceof Argument.Value v) {
            to.putObject(name).put("tensor", v.name());
        } else if (value instanceof Argument.Values vs) {
            ArrayNode list = to.putObject(name).putArray("tensors");
            vs.names().forEach(list::add);
        } else if (value instanceof Argument.Int i) {
            to.put(name, i.value().evaluate(Map.of()));
        } else if (value instanceof Argument.Ints is) {
            ArrayNode list = to.putArray(name);
            for (SymExpr s : is.values()) {
                list.add(s.evaluate(Map.of()));
            }
        } else if (value instanceof Argument.Float f) {
            to.putObject(name).put("number", Double.toString(f.value()));
        } else if (value instanceof Argument.Bool b) {
            to.put(name, b.value());
        } else if (value instanceof Argument.Text t) {
            to.put(name, t.value());
        } else if (value instanceof Argument.None) {
            to.putNull(name);
        } else {
            to.putObject(name).put("unknown", value.toString());
        }
    }
}
