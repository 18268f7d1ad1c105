package dev.headroom.estimator.compile.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What PyTorch 2.14.1's partitioner keeps of small models under budgets: {@code aot_function} with Inductor's
 * decompositions, {@code joint_graph_passes} and {@code min_cut_rematerialization_partition} said so. A view that is kept
 * stands for what it is of.
 */
class ActivationBudgetTest {
    private static final long ROWS = 4096;

    private final Joint joint = new Joint();

    private Value given(Kind kind, long... sizes) {
        return joint.placeholder(kind, "p" + joint.nodes().size(), DType.FLOAT32, sizes, new long[] {sizes[1], 1});
    }

    /** A product by its name; what is not looked at has none. */
    private Value mm(String name, Value a, Value b) {
        return joint.make(Kind.LIBRARY, "aten.mm", name, DType.FLOAT32, new long[] {a.size(0), b.size(1)}, a, b);
    }

    private Value pointwise(String name, String op, Value... of) {
        return joint.pointwise("aten." + op, name, DType.FLOAT32, of);
    }

    private Value sum(String name, Value of) {
        return joint.make(Kind.REDUCTION, "aten.sum", name, DType.FLOAT32, new long[] {of.size(0), 1}, of);
    }

    private Value turned(Value v) {
        long[] sizes = {v.size(1), v.size(0)};
        long[] strides = {v.strides()[1], v.strides()[0]};
        return joint.node(Kind.VIEW, "aten.t", "", DType.FLOAT32, sizes, strides, List.of(v));
    }

    private static String kept(Program program, double budget) {
        Set<String> out = new TreeSet<>();
        for (Value v : Partition.of(program, budget).kept()) {
            Value base = v;
            while (base.kind() == Kind.VIEW) {
                base = base.arguments().get(0);
            }
            if (!base.isPlaceholder()) {
                out.add(base.key());
            }
        }
        return String.join(" ", out);
    }

    /** {@code sin(sin(sin(x @ w1) @ w2) @ w3) @ w4}: each product and what is made of it are one width. */
    private Program chain() {
        long[] widths = {32, 48, 16, 24, 8};
        List<Value> weights = new ArrayList<>();
        Value x = given(Kind.INPUT, ROWS, widths[0]);
        for (int i = 1; i < widths.length; i++) {
            weights.add(given(Kind.PARAMETER, widths[i - 1], widths[i]));
        }
        Value tangent = given(Kind.TANGENT, ROWS, widths[4]);
        List<Value> products = new ArrayList<>();
        List<Value> inputs = new ArrayList<>(List.of(x));
        for (int i = 0; i < 3; i++) {
            String number = i == 0 ? "" : "_" + i;
            products.add(mm("mm" + number, inputs.get(i), weights.get(i)));
            inputs.add(pointwise("sin" + number, "sin", products.get(i)));
        }
        Value result = mm("", inputs.get(3), weights.get(3));
        Value gradient = tangent;
        Value[] gradients = new Value[5];
        for (int i = 3; i >= 0; i--) {
            gradients[i + 1] = mm("", turned(inputs.get(i)), gradient);
            if (i > 0) {
                Value before = mm("", gradient, turned(weights.get(i)));
                gradient = pointwise("", "mul", before, pointwise("", "cos", products.get(i - 1)));
            }
        }
        return new Program(joint.nodes(), List.of(result), Arrays.asList(gradients));
    }

    @ParameterizedTest
    @CsvSource({
        "0, ''",
        "0.1, mm_1",
        "0.2, mm_1",
        "0.25, mm_1 mm_2",
        "0.3, mm",
        "0.4, mm mm_1",
        "0.5, mm mm_1 mm_2",
        "0.75, mm mm_1 mm_2",
        "0.95, mm mm_1 mm_2",
        "1, mm mm_1 mm_2 sin sin_1 sin_2"
    })
    void dearProductsAreKeptFirst(double budget, String expected) {
        assertEquals(expected, kept(chain(), budget));
    }

    /** {@code sin(exp(a - a.sum(1))) @ w2} with {@code a = sin(x @ w1)}. */
    private Program sums() {
        Value x = given(Kind.INPUT, ROWS, 32);
        Value w1 = given(Kind.PARAMETER, 32, 48);
        Value w2 = given(Kind.PARAMETER, 48, 16);
        Value tangent = given(Kind.TANGENT, ROWS, 16);
        Value mm = mm("mm", x, w1);
        Value a = pointwise("sin", "sin", mm);
        Value sum = sum("sum_1", a);
        Value exp = pointwise("exp", "exp", pointwise("sub", "sub", a, sum));
        Value b = pointwise("sin_1", "sin", exp);
        Value result = mm("", b, w2);
        Value w2Gradient = mm("", turned(b), tangent);
        Value bGradient = mm("", tangent, turned(w2));
        Value ofExp = pointwise("", "mul", pointwise("", "mul", bGradient, pointwise("", "cos", exp)), exp);
        Value ofA = pointwise("", "add", ofExp, sum("", pointwise("", "neg", ofExp)));
        Value w1Gradient = mm("", turned(x), pointwise("", "mul", ofA, pointwise("", "cos", mm)));
        return new Program(joint.nodes(), List.of(result), Arrays.asList(null, w1Gradient, w2Gradient));
    }

    /** A sum is small beside what it is of: it is kept at any budget but where the product leaves no room for it. */
    @ParameterizedTest
    @CsvSource({
        "0, ''",
        "0.05, sum_1",
        "0.2, sum_1",
        "0.4, sum_1",
        "0.5, mm",
        "0.6, mm sum_1",
        "0.95, mm sum_1",
        "1, mm sin_1 sum_1"
    })
    void sumsAreKeptWhereLittleIs(double budget, String expected) {
        assertEquals(expected, kept(sums(), budget));
    }

    /** Without a budget there are the arguments alone, which PyTorch keeps all. */
    @Test
    void nothingButArguments() {
        List<Value> kept = Partition.of(chain(), 0).kept();
        assertEquals(5, kept.size());
        assertTrue(kept.stream().allMatch(Value::isPlaceholder));
    }

    /** reordering_to_mimic_autograd_engine: what is computed again comes right before the first that needs it. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 0.3, 1})
    void whatIsComputedAgainComesLate(double budget) {
        Partition divided = Partition.of(chain(), budget);
        Set<Value> done = new HashSet<>(divided.kept());
        Set<Value> waiting = new HashSet<>();
        Set<Value> after = new HashSet<>(divided.tangents());
        for (Value v : divided.backward()) {
            for (Value a : v.arguments()) {
                assertTrue(a.isPlaceholder() || done.contains(a), "what is read is there");
            }
            if (v.arguments().stream().anyMatch(after::contains)) {
                after.add(v);
                assertTrue(
                        Program.needed(List.of(v), Set.copyOf(divided.kept())).containsAll(waiting), v.op());
                waiting.clear();
            } else {
                waiting.add(v);
            }
            assertTrue(done.add(v), "once");
        }
        assertEquals(Set.of(), waiting);
        divided.gradients().forEach(g -> assertTrue(g == null || done.contains(g)));
    }
}
