package dev.headroom.model.scenario;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.plan.PlanReader;
import dev.headroom.model.plan.TensorPlan;
import dev.headroom.model.trainer.OptimNames;
import dev.headroom.model.units.ByteSizes;
import dev.headroom.model.units.OptionNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ways in which settings are written. */
final class ValueFormats {
    private static final String NONE = "none";
    private static final String AUTO = "auto";

    /** True when it is named. */
    static final ValueFormat<Boolean> FLAG =
            new ValueFormat<>(ValueFormat.Arity.FLAG, texts -> true, value -> List.of(), value -> value, List::of);

    /** Each text is an element. */
    static final ValueFormat<List<String>> TEXTS =
            new ValueFormat<>(ValueFormat.Arity.MANY, List::copyOf, value -> value, value -> value, List::of);

    /** Names with commas between them. */
    static final ValueFormat<List<String>> NAMES = ValueFormat.one(
            ValueFormats::names,
            value -> String.join(",", value),
            value -> value.isEmpty() ? null : String.join(",", value),
            List.of());

    /** Each text binds a name, as {@code seq=512}. */
    static final ValueFormat<Map<String, Long>> BINDINGS = new ValueFormat<>(
            ValueFormat.Arity.MANY,
            ValueFormats::bindings,
            value -> value.entrySet().stream()
                    .map(e -> e.getKey() + "=" + e.getValue())
                    .toList(),
            value -> value,
            List::of);

    /** {@code true} or {@code false}. */
    static final ValueFormat<Boolean> BOOLEAN = choice(List.of(true, false), Object::toString);

    /** {@code fp32}, {@code fp16} or {@code bf16}. */
    static final ValueFormat<DType> FLOATS =
            choice(List.of(DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16), OptionNames::of);

    /** {@code fp16} or {@code bf16}. */
    static final ValueFormat<DType> HALVES = choice(List.of(DType.FLOAT16, DType.BFLOAT16), OptionNames::of);

    /** Any text. */
    static final ValueFormat<String> TEXT = ValueFormat.one(text -> text, value -> value, value -> value, List.of());

    /** JSON, or a file that holds some. */
    static final ValueFormat<String> JSON_TEXT =
            ValueFormat.one(ValueFormats::json, value -> value, value -> value, List.of());

    /** Sizes of a grid, such as {@code 2x4}. */
    static final ValueFormat<List<Integer>> GRID = ValueFormat.one(
            ValueFormats::grid, ValueFormats::writeGrid, value -> value.isEmpty() ? null : writeGrid(value), List.of());

    /** {@code true} as 1, {@code false} as 0, a number of ranks, or {@code default} for {@code null}. */
    static final ValueFormat<Integer> RESHARD = ValueFormat.one(
            ValueFormats::reshard,
            ValueFormats::writeReshard,
            value -> value == null ? null : writeReshard(value),
            List.of("default", "true", "false"));

    /** {@code true}, {@code false}, or {@code auto} for {@code null}. */
    static final ValueFormat<Boolean> TRUE_OR_FALSE = ValueFormat.one(
            text -> text.equals(AUTO) ? null : choose(text, List.of(true, false), Object::toString),
            Object::toString,
            value -> value,
            List.of("true", "false"));

    /** Who is asked, no workspace at all, or a size. */
    static final ValueFormat<CudnnWorkspace> WORKSPACE = ValueFormat.one(
            ValueFormats::workspace,
            value -> value.bytes() == null
                    ? OptionNames.of(value.source())
                    : value.bytes() == 0 ? NONE : value.bytes().toString(),
            value -> value.bytes() != null || value.source() == Scenario.Workspaces.AUTO
                    ? value.bytes()
                    : OptionNames.of(value.source()),
            Stream.concat(Arrays.stream(Scenario.Workspaces.values()).map(OptionNames::of), Stream.of(NONE))
                    .toList());

    /** In the syntax of {@code PYTORCH_CUDA_ALLOC_CONF}. */
    static final ValueFormat<String> ALLOCATOR =
            ValueFormat.one(ValueFormats::allocator, value -> value, value -> value, List.of());

    /** A version of PyTorch that is modelled. */
    static final ValueFormat<TorchVersion> VERSION =
            ValueFormat.one(TorchVersion::read, TorchVersion::toString, TorchVersion::toString, List.of());

    /** An optimizer, by Headroom's name or the Trainer's. */
    static final ValueFormat<OptimizerKind> OPTIMIZER = ValueFormat.one(
            ValueFormats::optimizer,
            OptimizerKind::option,
            kind -> kind == null ? null : kind.option(),
            Arrays.stream(OptimizerKind.values()).map(OptimizerKind::option).toList());

    /** A file with a plan of tensor parallelism. */
    static final ValueFormat<TensorPlan> PLAN =
            ValueFormat.one(ValueFormats::plan, TensorPlan::file, plan -> plan == null ? null : plan.file(), List.of());

    private ValueFormats() {}

    private static TensorPlan plan(String file) {
        try {
            return PlanReader.read(Path.of(file));
        } catch (InvalidPathException | UserInputException e) {
            throw new BadValue(e.getMessage());
        }
    }

    private static OptimizerKind optimizer(String text) {
        OptimNames.instead(text).ifPresent(line -> {
            throw new BadValue("'" + text + "': " + line);
        });
        String option = OptimNames.option(text).orElse(text);
        return choose(option, List.of(OptimizerKind.values()), OptimizerKind::option);
    }

    /** A whole number of at least one. */
    static ValueFormat<Long> positive() {
        return ValueFormat.one(text -> number(text, 1, Long.MAX_VALUE), Object::toString, value -> value, List.of());
    }

    /** A whole number from one on. */
    static ValueFormat<Integer> count(int most) {
        return ValueFormat.one(text -> (int) number(text, 1, most), Object::toString, value -> value, List.of());
    }

    /** A whole number from 0 to less than some number. */
    static ValueFormat<Integer> index(int end) {
        return ValueFormat.one(text -> (int) number(text, 0, end - 1), Object::toString, value -> value, List.of());
    }

    /** A number above 0. */
    static ValueFormat<Double> number() {
        return ValueFormat.one(ValueFormats::decimal, Object::toString, value -> value, List.of());
    }

    /** A number from 0 to less than 1; {@code null} for 0. */
    static ValueFormat<Double> probability() {
        return ValueFormat.one(ValueFormats::chance, Object::toString, value -> value, List.of());
    }

    /** A number from 0 to 1. */
    static ValueFormat<Double> share() {
        return ValueFormat.one(ValueFormats::part, Object::toString, value -> value, List.of());
    }

    /** A whole number from one on, or {@code none} for 0. */
    static ValueFormat<Integer> countOrNone(int most) {
        return ValueFormat.one(
                text -> text.equals(NONE) ? 0 : (int) number(text, 1, most),
                Object::toString,
                value -> value,
                List.of());
    }

    /** One of some words; {@code null} in JSON where there is no value. */
    static <T> ValueFormat<T> choice(List<T> values, Function<T, String> name) {
        return ValueFormat.one(
                text -> choose(text, values, name),
                name,
                value -> value == null ? null : name.apply(value),
                values.stream().map(name).toList());
    }

    /** Some of these words, with commas between them. */
    static <T> ValueFormat<List<T>> choices(List<T> values, Function<T, String> name) {
        return ValueFormat.one(
                text -> names(text).stream()
                        .map(each -> choose(each, values, name))
                        .distinct()
                        .toList(),
                chosen -> chosen.stream().map(name).collect(Collectors.joining(",")),
                chosen -> chosen.isEmpty() ? null : chosen.stream().map(name).collect(Collectors.joining(",")),
                List.of());
    }

    static <T> T choose(String text, List<T> values, Function<T, String> name) {
        List<String> known = values.stream().map(name).toList();
        int at = known.indexOf(text);
        if (at < 0) {
            String hint = Suggestion.of(text, known);
            throw new BadValue(
                    "'" + text + "' is not known" + (hint.isEmpty() ? "; it takes " + String.join(", ", known) : hint));
        }
        return values.get(at);
    }

    private static long number(String text, long least, long most) {
        String range = most == Long.MAX_VALUE ? least + " or more" : least + " to " + most;
        try {
            long value = Long.parseLong(text.strip());
            if (value < least || value > most) {
                throw new BadValue(value + " is out of range; it takes " + range);
            }
            return value;
        } catch (NumberFormatException e) {
            throw new BadValue(
                    text.strip().matches("[-+]?\\d+")
                            ? text + " is out of range; it takes " + range
                            : "'" + text + "' is not a whole number");
        }
    }

    private static String json(String text) {
        if (text.strip().startsWith("{")) {
            return text.strip();
        }
        try {
            return Files.readString(Path.of(text)).strip();
        } catch (IOException | InvalidPathException e) {
            throw new BadValue("'" + text + "' is no file that can be read, and no JSON object");
        }
    }

    private static double decimal(String text) {
        try {
            double value = Double.parseDouble(text.strip());
            if (!(value > 0) || Double.isInfinite(value)) {
                throw new BadValue(text + " is out of range; it takes numbers above 0");
            }
            return value;
        } catch (NumberFormatException e) {
            throw new BadValue("'" + text + "' is not a number");
        }
    }

    private static double part(String text) {
        try {
            double value = Double.parseDouble(text.strip());
            if (!(value >= 0 && value <= 1)) {
                throw new BadValue(text + " is out of range; it takes numbers from 0 to 1");
            }
            return value;
        } catch (NumberFormatException e) {
            throw new BadValue("'" + text + "' is not a number");
        }
    }

    private static @Nullable Double chance(String text) {
        try {
            double value = Double.parseDouble(text.strip());
            if (!(value >= 0) || value >= 1) {
                throw new BadValue(text + " is out of range; it takes 0 to less than 1");
            }
            return value == 0 ? null : value;
        } catch (NumberFormatException e) {
            throw new BadValue("'" + text + "' is not a number");
        }
    }

    private static List<String> names(String text) {
        List<String> names =
                Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        if (names.contains("")) {
            throw new BadValue("'" + text + "' holds an empty name");
        }
        return names;
    }

    private static List<Integer> grid(String text) {
        return Arrays.stream(text.split("x", -1))
                .map(size -> (int) number(size, 1, Integer.MAX_VALUE))
                .toList();
    }

    private static String writeGrid(List<Integer> sizes) {
        return sizes.stream().map(Object::toString).collect(Collectors.joining("x"));
    }

    private static @Nullable Integer reshard(String text) {
        return switch (text) {
            case "default" -> null;
            case "true" -> 1;
            case "false" -> 0;
            default -> (Integer) (int) number(text, 2, Integer.MAX_VALUE);
        };
    }

    private static String writeReshard(int value) {
        return value == 0 ? "false" : value == 1 ? "true" : Integer.toString(value);
    }

    private static Map<String, Long> bindings(List<String> texts) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        for (String text : texts) {
            int at = text.indexOf('=');
            String name = at < 0 ? "" : text.substring(0, at).strip();
            if (name.isEmpty()) {
                throw new BadValue("", "'" + text + "' is not NAME=N", "seq=512");
            }
            try {
                if (sizes.put(name, number(text.substring(at + 1), 1, Long.MAX_VALUE)) != null) {
                    throw new BadValue("given twice");
                }
            } catch (BadValue e) {
                throw new BadValue(name, e.getMessage(), "");
            }
        }
        return sizes;
    }

    private static CudnnWorkspace workspace(String text) {
        for (Scenario.Workspaces source : Scenario.Workspaces.values()) {
            if (OptionNames.of(source).equals(text)) {
                return CudnnWorkspace.from(source);
            }
        }
        return text.equals(NONE) ? CudnnWorkspace.NONE : CudnnWorkspace.of(bytes(text));
    }

    private static long bytes(String text) {
        try {
            return ByteSizes.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadValue(e.getMessage());
        }
    }

    private static String allocator(String text) {
        try {
            AllocatorSettings.parse(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new BadValue(e.getMessage());
        }
    }
}
