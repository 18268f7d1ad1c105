package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.Graph.OutputKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code signature} of an exported program: what each input and output of the graph is. */
final class Signature {
    private final Json json;
    private final ArgumentReader arguments;
    private final List<Graph.Input> inputs = new ArrayList<>();
    private final List<Graph.Output> outputs = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private Signature(Json json, ArgumentReader arguments) {
        this.json = json;
        this.arguments = arguments;
    }

    static Signature read(Json json, ArgumentReader arguments) throws IOException {
        Signature signature = new Signature(json, arguments);
        for (int scope = json.object(); json.nextField(scope); ) {
            boolean inputs = json.name().equals("input_specs");
            if (inputs || json.name().equals("output_specs")) {
                for (int list = json.array(); json.nextItem(list); ) {
                    int union = json.union();
                    if (inputs) {
                        signature.input(json.name());
                    } else {
                        signature.output(json.name());
                    }
                    json.endUnion(union);
                }
            }
        }
        return signature;
    }

    List<Graph.Input> inputs() {
        return inputs;
    }

    List<Graph.Output> outputs() {
        return outputs;
    }

    List<String> notes() {
        return notes;
    }

    private static final class Spec {
        private @Nullable Argument value;
        private @Nullable String tensor;
        private @Nullable String name;
        private boolean persistent;
    }

    private Spec spec(boolean anyArgument) throws IOException {
        Spec spec = new Spec();
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "arg" -> {
                    if (anyArgument) {
                        spec.value = arguments.argument();
                    } else {
                        spec.tensor = arguments.tensorName();
                    }
                }
                case "parameter_name", "buffer_name", "tensor_constant_name", "user_input_name", "custom_obj_name" ->
                    spec.name = json.string();
                case "persistent" -> spec.persistent = json.bool();
                default -> {}
            }
        }
        return spec;
    }

    private void input(String kind) throws IOException {
        switch (kind) {
            case "user_input" -> user(spec(true).value);
            case "parameter" -> held(InputKind.PARAMETER, spec(false));
            case "buffer" -> held(InputKind.BUFFER, spec(false));
            case "tensor_constant" -> held(InputKind.CONSTANT, spec(false));
            case "custom_obj" ->
                notes.add("the model holds an object that is no tensor (" + spec(false).name
                        + "): memory that it owns is not counted");
            case "constant_input", "token" -> {}
            default -> throw new UserInputException("an input of kind " + kind + " is not known to this version");
        }
    }

    private void user(@Nullable Argument argument) {
        if (argument == null) {
            throw new UserInputException("a user input without a value");
        }
        for (String name : GraphReader.tensors(argument)) {
            if (name != null) {
                inputs.add(new Graph.Input(InputKind.USER, name, name, false));
            }
        }
    }

    private void held(InputKind kind, Spec spec) {
        if (spec.tensor == null || spec.name == null) {
            throw new UserInputException("a parameter, buffer or constant without a name");
        }
        boolean persistent = kind == InputKind.PARAMETER || kind == InputKind.BUFFER && spec.persistent;
        inputs.add(new Graph.Input(kind, spec.tensor, spec.name, persistent));
    }

    private void output(String kind) throws IOException {
        switch (kind) {
            case "user_output" -> {
                Argument value = spec(true).value;
                if (value == null) {
                    throw new UserInputException("a user output without a value");
                }
                for (String name : GraphReader.tensors(value)) {
                    outputs.add(new Graph.Output(OutputKind.USER, name, name == null ? "" : name));
                }
            }
            case "loss_output" -> {
                String name = require(spec(false).tensor);
                outputs.add(new Graph.Output(OutputKind.LOSS, name, name));
            }
            case "buffer_mutation", "parameter_mutation", "user_input_mutation" -> {
                Spec spec = spec(false);
                outputs.add(new Graph.Output(OutputKind.MUTATION, require(spec.tensor), require(spec.name)));
            }
            case "gradient_to_parameter", "gradient_to_user_input" ->
                throw new UserInputException("the graph holds its own backward pass; export the forward pass only"
                        + " (torch.export.export without"
                        + " a joint graph)");
            case "token" -> {}
            default -> throw new UserInputException("an output of kind " + kind + " is not known to this version");
        }
    }

    private static String require(@Nullable String name) {
        if (name == null) {
            throw new UserInputException("an output without a name");
        }
        return name;
    }
}
