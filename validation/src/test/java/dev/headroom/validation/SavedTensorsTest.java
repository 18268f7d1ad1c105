package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.runtime.SavedTensorHooks;
import dev.headroom.estimator.runtime.Storage;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What each rule keeps for the backward pass, against what PyTorch's formulas keep ({@code saved.csv}, made of its
 * derivatives.yaml). Recordings of single operators cannot show it where what is kept lives anyway. The differences that
 * are known stand in {@code saved-open.txt}, which may only shrink.
 */
class SavedTensorsTest {
    private static final Path FOLDER = Fixtures.operators();
    private static final String RESULTS = "results";

    /** Arguments of which each is kept for the sake of another's gradient: all of them must want one. */
    private static final Set<String> OPERANDS = Set.of("self", "other", "exponent");

    @Test
    void rulesKeepWhatTheFormulasKeep() throws IOException {
        Map<String, Set<String>> facts = facts();
        Map<String, Set<String>> found = new TreeMap<>();
        for (Path file : files()) {
            for (OperatorCase c : OperatorCase.read(file)) {
                if (!c.mode().equals("inference") && c.operators().stream().anyMatch(facts::containsKey)) {
                    PlayedCase.play(c, List.of(new Regime(facts, found)));
                }
            }
        }
        assertTrue(found.size() > 220, found.size() + " operators were seen");
        List<String> differing = new ArrayList<>();
        found.forEach((operator, differences) -> {
            if (!differences.isEmpty()) {
                differing.add(operator + ": " + String.join(", ", differences));
            }
        });
        List<String> open = Files.readAllLines(FOLDER.resolve("saved-open.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        assertEquals(String.join("\n", open), String.join("\n", differing));
    }

    private static List<Path> files() {
        List<Path> out = new ArrayList<>(OperatorCase.families(FOLDER));
        out.add(FOLDER.resolve("sweep").resolve("samples.json.gz"));
        return out;
    }

    private static Map<String, Set<String>> facts() throws IOException {
        Map<String, Set<String>> out = new HashMap<>();
        List<String> lines = Files.readAllLines(FOLDER.resolve("saved.csv"));
        for (String line : lines.subList(1, lines.size())) {
            String[] row = line.split(",", -1);
            Set<String> kept = new TreeSet<>(List.of(row[1].split(" ")));
            kept.remove("");
            if (!row[2].isEmpty()) {
                kept.add(RESULTS);
            }
            out.put(row[0], kept);
        }
        return out;
    }

    private record Regime(Map<String, Set<String>> facts, Map<String, Set<String>> found) implements LoopHook {
        @Override
        public NodeHook nodes() {
            return new Watcher(facts, found);
        }
    }

    /** Notes what operators keep whose floating-point arguments all want gradients. */
    private record Watcher(Map<String, Set<String>> facts, Map<String, Set<String>> found) implements NodeHook {
        @Override
        public Node localized(Graph graph, Node node, Map<String, Tensor> values) {
            return node;
        }

        @Override
        public Tensor[] around(Call call, Supplier<Tensor[]> own) {
            Map<String, Tensor> arguments = arguments(call);
            Set<String> known = facts.get(call.node().target());
            boolean all = arguments.values().stream()
                    .allMatch(t -> t.requiresGrad()
                            || !t.dtype().isFloatingPoint() && !t.dtype().isComplex());
            boolean any = arguments.values().stream().anyMatch(Tensor::requiresGrad);
            boolean operands = OPERANDS.stream()
                    .allMatch(name -> !call.has(name)
                            || arguments.containsKey(name)
                                    && arguments.get(name).requiresGrad());
            boolean inPlace = call.node().operator().endsWith("_"); // then result and input are one
            if (known == null
                    || !all
                    || !any
                    || !operands
                    || inPlace
                    || call.runtime().autocast().active()) {
                return own.get();
            }
            Map<Storage, String> names = new LinkedHashMap<>();
            arguments.forEach((name, t) -> names.put(t.storage(), name));
            Set<String> kept = new TreeSet<>();
            List<Tensor> others = new ArrayList<>();
            SavedTensorHooks before = call.runtime().tape().setHooks(t -> {
                String name = names.get(t.storage());
                if (name == null) {
                    others.add(t);
                } else {
                    kept.add(name);
                }
                return new Held(call, call.runtime().hold(t));
            });
            Tensor[] made = own.get();
            call.runtime().tape().setHooks(before);
            boolean result = Stream.of(made)
                    .anyMatch(m -> m != null && others.stream().anyMatch(t -> t.storage() == m.storage()));
            if (result) {
                kept.add(RESULTS);
            }
            Set<String> differences = found.computeIfAbsent(call.node().target(), k -> new TreeSet<>());
            for (String name : known) {
                boolean given = name.equals(RESULTS) || names.containsValue(name);
                if (given && !kept.contains(name)) {
                    differences.add("lacks " + name);
                }
            }
            for (String name : kept) {
                if (!known.contains(name)) {
                    differences.add("keeps " + name);
                }
            }
            return made;
        }

        private static Map<String, Tensor> arguments(Call call) {
            Map<String, Tensor> out = new LinkedHashMap<>();
            for (Node.NamedArgument a : call.node().arguments()) {
                if (a.value() instanceof Argument.Value) {
                    out.put(a.name(), call.tensor(a.name()));
                }
            }
            return out;
        }
    }

    private record Held(Call call, Tensor tensor) implements SavedTensorHooks.Packed {
        @Override
        public Tensor unpack() {
            return call.runtime().hold(tensor);
        }

        @Override
        public void release() {
            call.runtime().release(tensor);
        }
    }
}
