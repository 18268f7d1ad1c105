package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.plan.ModuleStyle;
import dev.headroom.model.plan.Placement;
import java.util.List;

/** What a style does around the calls of its module (torch/distributed/tensor/parallel/style.py). */
final class StyledModule implements ModuleHooks.Hook {
    private final String path;
    private final ModuleStyle style;
    private final ModuleContent content;
    private final Conversions conversions;

    StyledModule(String path, ModuleStyle style, ModuleContent content, Conversions conversions) {
        this.path = path;
        this.style = style;
        this.content = content;
        this.conversions = conversions;
    }

    @Override
    public void beforeForward(ModuleHooks.Call call) {
        call.replaceInputs(inputs -> {
            Tensor[] out = inputs.clone();
            if (style.kind() == ModuleStyle.Kind.PREPARE) {
                prepare(out, style.inputs(), style.desiredInputs(), style.localInput());
            } else if (out.length > 0) {
                out[0] = input(out[0]);
            }
            return out;
        });
    }

    /** {@code _prepare_input_fn} of the styles that share a module. */
    private Tensor input(Tensor given) {
        Tensor t = given.distribution() == null ? conversions.fromLocal(given, style.givenInput()) : given;
        Placement wanted = desired().of(t.dim());
        // Layouts are compared as they are declared, but a tensor that lies otherwise is no longer what the module
        // shares.
        Placement is = t.givenDistribution().placement();
        if (!style.givenInput().of(t.dim()).equals(wanted) || style.kind() == ModuleStyle.Kind.SEQUENCE) {
            return is.equals(wanted) ? t : conversions.redistribute(t, wanted, true);
        }
        if (!is.equals(wanted)) {
            throw new UserInputException(
                    "plan of tensor parallelism: " + path + " is given a tensor that is laid out as " + words(is)
                            + ", where its style has " + words(wanted) + "; name its input_layouts");
        }
        return t;
    }

    private Placement desired() {
        return switch (style.kind()) {
            case ROWWISE -> content == ModuleContent.EMBEDDING ? Placement.REPLICATE : Placement.shard(-1);
            case SEQUENCE -> style.givenInput();
            default -> Placement.REPLICATE;
        };
    }

    private static String words(Placement p) {
        return p.isShard() ? "Shard(" + p.dim() + ")" : p.isPartial() ? "Partial()" : "Replicate()";
    }

    @Override
    public void afterForward(ModuleHooks.Call call) {
        call.replaceOutputs(outputs -> {
            Tensor[] out = outputs.clone();
            if (style.kind() == ModuleStyle.Kind.PREPARE) {
                prepare(out, style.outputs(), style.desiredOutputs(), style.localOutput());
            } else if (out.length > 0) {
                out[0] = output(out[0]);
            }
            return out;
        });
    }

    /** {@code _prepare_output_fn}. */
    private Tensor output(Tensor made) {
        Distribution of = made.distribution();
        if (of == null) {
            throw new UserInputException(
                    "plan of tensor parallelism: " + path + " cannot be shared by this style: its first"
                            + " operator on the input is none that divided parameters are known for");
        }
        Placement wanted = style.givenOutput().of(made.dim());
        boolean sequence = style.kind() == ModuleStyle.Kind.SEQUENCE;
        Tensor out = sequence || of.placement().equals(wanted) ? made : conversions.redistribute(made, wanted, true);
        return style.localOutput() ? conversions.toLocal(out) : out;
    }

    /** PrepareModuleInput._prepare_input_arg, PrepareModuleOutput._prepare_out_fn. */
    private void prepare(Tensor[] tensors, List<Placement> layouts, List<Placement> desired, boolean local) {
        for (int i = 0; i < tensors.length && i < layouts.size(); i++) {
            Placement is = layouts.get(i);
            if (is == null) {
                continue;
            }
            Tensor t = tensors[i].distribution() == null ? conversions.fromLocal(tensors[i], is) : tensors[i];
            Placement wanted = i < desired.size() ? desired.get(i) : null;
            if (wanted != null && !wanted.equals(is)) {
                t = conversions.redistribute(t, wanted, false);
            }
            tensors[i] = local ? conversions.toLocal(t) : t;
        }
    }
}
