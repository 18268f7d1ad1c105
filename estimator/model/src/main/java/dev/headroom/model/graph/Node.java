package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One operator call.
 *
 * @param name unique in the graph
 * @param target operator and overload, such as {@code aten.conv2d.default} or {@code higher_order.wrap_with_autocast}
 * @param arguments in call order; those that the exporter left out have their schema's default
 * @param outputs one entry a result: tensor value names, in order; a list result is flattened; {@code null} for an
 *     absent or symbolic one
 * @param moduleStack the running modules, outermost (the model, path "") first
 * @param stackTrace Python frames as PyTorch prints them, outermost first, or ""
 * @param seen what Python was seen to do when the call had returned
 */
public record Node(
        String name,
        String target,
        List<NamedArgument> arguments,
        List<@Nullable String> outputs,
        List<ModuleCall> moduleStack,
        String stackTrace,
        Seen seen) {

    /** A call after which nobody looked. */
    public Node(
            String name,
            String target,
            List<NamedArgument> arguments,
            List<@Nullable String> outputs,
            List<ModuleCall> moduleStack,
            String stackTrace) {
        this(name, target, arguments, outputs, moduleStack, stackTrace, Seen.NOTHING);
    }

    /** The same call of values that have other names, which its results have as well. */
    public Node renamed(UnaryOperator<String> names) {
        List<@Nullable String> results = new ArrayList<>();
        outputs.forEach(o -> results.add(o == null ? null : names.apply(o)));
        return reading(names).withOutputs(results).withSeen(seen.with(names));
    }

    /** The same call by another name. */
    public Node withName(String other) {
        return new Node(other, target, arguments, outputs, moduleStack, stackTrace, seen);
    }

    /** The same call of another operator. */
    public Node withTarget(String other) {
        return new Node(name, other, arguments, outputs, moduleStack, stackTrace, seen);
    }

    /** The same call with other arguments. */
    public Node withArguments(List<NamedArgument> other) {
        return new Node(name, target, other, outputs, moduleStack, stackTrace, seen);
    }

    /** The same call with other results. */
    public Node withOutputs(List<@Nullable String> other) {
        return new Node(name, target, arguments, other, moduleStack, stackTrace, seen);
    }

    /** The same call, running in other modules. */
    public Node withModuleStack(List<ModuleCall> other) {
        return new Node(name, target, arguments, outputs, other, stackTrace, seen);
    }

    /** The same call, after which Python does other things. */
    public Node withSeen(Seen other) {
        return new Node(name, target, arguments, outputs, moduleStack, stackTrace, other);
    }

    /** The same call from other lines. */
    public Node withStackTrace(String other) {
        return new Node(name, target, arguments, outputs, moduleStack, other, seen);
    }

    /**
     * What Python was seen to do between a call and the next, where somebody looked on.
     *
     * @param released values of the graph that it dropped, in that order; of others it is not known when they are
     *     dropped, but by reading the frames
     * @param kept what the model keeps beyond the pass: values of the pass before are dropped here, because an
     *     attribute changes hands
     * @param returns whether the model returned: those outputs of the pass before are dropped that the loop held until
     *     then. What follows is the loss
     * @param checkpoint that the call ran inside of, the outermost one; {@code null} for none
     */
    public record Seen(
            List<String> released,
            List<Kept> kept,
            boolean returns,
            @Nullable Checkpoint checkpoint) {
        /** Nobody looked, or there was nothing to see. */
        public static final Seen NOTHING = new Seen(List.of(), List.of(), false, null);

        /** The same of other values. */
        public Seen with(UnaryOperator<String> names) {
            return new Seen(
                    released.stream().map(names).toList(),
                    kept.stream()
                            .map(k -> new Kept(names.apply(k.value()), k.buffer()))
                            .toList(),
                    returns,
                    checkpoint);
        }

        /** The same, but that those values are dropped. */
        public Seen withReleased(List<String> other) {
            return new Seen(other, kept, returns, checkpoint);
        }
    }

    /**
     * A run of {@code torch.utils.checkpoint.checkpoint}.
     *
     * @param number from 1, in the order in which they ran
     */
    public record Checkpoint(int number, boolean reentrant) {}

    /**
     * A value that the model keeps.
     *
     * @param buffer the qualified name of the buffer whose place it takes, "" for another attribute
     */
    public record Kept(String value, String buffer) {}

    /** @param name the schema's name, "" when positional only */
    public record NamedArgument(String name, Argument value) {}

    /**
     * A module that runs.
     *
     * @param call identifies the call: the same module called twice has two
     * @param path such as {@code layer1.0.conv1}; "" is the model itself
     * @param type class name, such as {@code torch.nn.modules.conv.Conv2d}
     */
    public record ModuleCall(String call, String path, String type) {
        /** The type of a plain function that a module calls: variables live in it, hooks know nothing of it. */
        public static final String FUNCTION = "function";

        /** Whether this is such a function; its path is the module's. */
        public boolean isFunction() {
            return type.equals(FUNCTION);
        }
    }

    /** Values of the graph that Python was seen to drop when the call had returned. */
    public List<String> released() {
        return seen.released();
    }

    /** Path of the innermost module, "" for the model itself. */
    public String module() {
        return moduleStack.isEmpty()
                ? ""
                : moduleStack.get(moduleStack.size() - 1).path();
    }

    /** Names of the tensor values that it reads, in the order of the arguments. */
    public List<String> reads() {
        List<String> out = new ArrayList<>(4);
        for (NamedArgument a : arguments) {
            if (a.value() instanceof Argument.Value v) {
                out.add(v.name());
            } else if (a.value() instanceof Argument.Values vs) {
                vs.names().stream().filter(v -> v != null).forEach(out::add);
            }
        }
        return out;
    }

    /** The same call where some values are read under other names; those in lists stay. */
    public Node reading(Map<String, String> instead) {
        List<NamedArgument> read = arguments.stream()
                .map(a -> a.value() instanceof Argument.Value v && instead.containsKey(v.name())
                        ? new NamedArgument(a.name(), new Argument.Value(instead.get(v.name())))
                        : a)
                .toList();
        return withArguments(read);
    }

    /** The same call where all values are read under other names. */
    public Node reading(UnaryOperator<String> names) {
        return withArguments(arguments.stream()
                .map(a -> new NamedArgument(a.name(), a.value().reading(names)))
                .toList());
    }

    /** An argument by the schema's name; {@code null} where the call leaves it out. */
    public @Nullable Argument argument(String argument) {
        // Asked all the time: iterators of such loops were a tenth of what is allocated.
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).name().equals(argument)) {
                return arguments.get(i).value();
            }
        }
        return null;
    }

    /** The tensor value that it reads as an argument; {@code null} where that is none. */
    public @Nullable String tensor(String argument) {
        return argument(argument) instanceof Argument.Value v ? v.name() : null;
    }

    /** Whether it is told to put its result into host memory. */
    public boolean goesToHost() {
        return argument("device") instanceof Argument.Device to && to.isHost();
    }

    /** Whether it is told to put its result anywhere else. */
    public boolean goesToDevice() {
        return argument("device") instanceof Argument.Device to && !to.isHost();
    }

    /** The same call with an argument replaced, or added behind the others. */
    public Node with(String argument, Argument value) {
        NamedArgument other = new NamedArgument(argument, value);
        List<NamedArgument> all = new ArrayList<>(arguments);
        all.replaceAll(a -> a.name().equals(argument) ? other : a);
        if (argument(argument) == null) {
            all.add(other);
        }
        return withArguments(all);
    }

    /** The same call with an argument left out. */
    public Node without(String argument) {
        return withArguments(
                arguments.stream().filter(a -> !a.name().equals(argument)).toList());
    }

    /** The operator without its overload, such as {@code aten.conv2d}. */
    public String operator() {
        int dot = target.lastIndexOf('.');
        return dot < 0 || target.indexOf('.') == dot ? target : target.substring(0, dot);
    }
}
