package dev.headroom.model.script;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.OwnLoop;
import dev.headroom.model.scenario.OptimizerChoice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A loop with what it trains. */
public final class Script implements OwnLoop {
    /**
     * A model of a loop.
     *
     * @param graph its own, whose modules carry the model's name in front
     * @param averages the model that this is a running average of ({@code torch.optim.swa_utils.AveragedModel});
     *     {@code null} for none
     */
    public record Model(String name, Graph graph, @Nullable String averages) {}

    /**
     * What an optimizer steps, a group after the other.
     *
     * @param models whose parameters belong to it
     * @param patterns of qualified names, {@code *} standing for any text; none for all that no group before has
     */
    public record Group(List<String> models, List<String> patterns, OptimizerChoice choice) {}

    /** An optimizer of a loop. */
    public record Optimizer(String name, List<Group> groups) {}

    /**
     * A tensor that a loader brings.
     *
     * @param model whose input it is like; {@code null} for one that is like none
     * @param input of that model
     * @param type of one that is like no input
     * @param sizes of one that is like no input; {@code null} stands for the batch size
     */
    public record Data(
            String name,
            @Nullable String model,
            @Nullable String input,
            @Nullable DType type,
            List<@Nullable Long> sizes) {}

    private final String file;
    private final List<Model> models;
    private final List<Optimizer> optimizers;
    private final List<Data> data;
    private final List<Statement> steps;

    Script(String file, List<Model> models, List<Optimizer> optimizers, List<Data> data, List<Statement> steps) {
        this.file = file;
        this.models = List.copyOf(models);
        this.optimizers = List.copyOf(optimizers);
        this.data = List.copyOf(data);
        this.steps = List.copyOf(steps);
    }

    /** The file that it was read from, for messages. */
    public String file() {
        return file;
    }

    /** In the order in which they come to the device. */
    public List<Model> models() {
        return models;
    }

    public List<Optimizer> optimizers() {
        return optimizers;
    }

    public List<Data> data() {
        return data;
    }

    /** What one turn of the loop does. */
    public List<Statement> steps() {
        return steps;
    }
}
