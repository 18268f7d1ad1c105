package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import java.util.Map;

/** Activation functions under the names of configs (transformers, activations.py, ACT2FN). */
public final class Activations {
    private static final String TANH = "tanh";

    /** A function's module: its class, its operator, and which approximation of GELU it asks for. */
    private record Kind(String type, String operator, String approximate) {}

    private static final Map<String, Kind> KINDS = Map.of(
            "silu",
            new Kind("transformers.activations.SiLUActivation", "aten.silu.default", ""),
            "swish",
            new Kind("transformers.activations.SiLUActivation", "aten.silu.default", ""),
            "gelu",
            new Kind("transformers.activations.GELUActivation", "aten.gelu.default", ""),
            "gelu_pytorch_tanh",
            new Kind("transformers.activations.GELUTanh", "aten.gelu.default", TANH),
            "relu",
            new Kind("torch.nn.modules.activation.ReLU", "aten.relu.default", ""),
            "sigmoid",
            new Kind("torch.nn.modules.activation.Sigmoid", "aten.sigmoid.default", ""),
            TANH,
            new Kind("torch.nn.modules.activation.Tanh", "aten.tanh.default", ""));

    private Activations() {}

    /**
     * The one that a config names.
     *
     * @throws UserInputException for a name that is not known
     */
    public static Layer of(ModelConfig config, String key, String otherwise) {
        String name = config.text(key, otherwise);
        if (name.equals("gelu_new")) {
            return new NewGelu();
        }
        if (name.equals("gelu_fast")) {
            return new FastGelu();
        }
        if (name.equals("relu2")) {
            return new SquaredRelu();
        }
        Kind kind = KINDS.get(name);
        if (kind == null) {
            throw new UserInputException(config.source() + ": \"" + key + "\" is " + name
                    + ", an activation that Headroom does not write; export the model instead (headroom export-help)");
        }
        return new Function(kind);
    }

    private static final class Function extends Layer {
        private final Kind kind;

        private Function(Kind kind) {
            this.kind = kind;
        }

        @Override
        protected String type() {
            return kind.type;
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            return kind.approximate.isEmpty()
                    ? s.op(kind.operator, "self", in[0])
                    : s.op(kind.operator, "self", in[0], "approximate", kind.approximate);
        }
    }
}
