package dev.headroom.model.family.head;

import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions.Task;
import java.util.Map;

/** Which head a model has. */
public final class Tasks {
    /** What class names end with. */
    private static final Map<Task, String> ENDS = Map.of(
            Task.SEQUENCE_CLASSIFICATION, "ForSequenceClassification",
            Task.TOKEN_CLASSIFICATION, "ForTokenClassification",
            Task.QUESTION_ANSWERING, "ForQuestionAnswering");

    private Tasks() {}

    /** The task that is asked for; that of the config's architecture where none is; {@code AUTO}: neither. */
    public static Task of(Request request) {
        Task asked = request.options().task();
        String architecture = request.config().architecture();
        return asked != Task.AUTO
                ? asked
                : ENDS.entrySet().stream()
                        .filter(e -> architecture.endsWith(e.getValue()))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(Task.AUTO);
    }

    /** The end of a class's name, of a task that is not {@code AUTO}. */
    public static String end(Task task) {
        return ENDS.getOrDefault(task, "");
    }

    /** How many classes there are: two unless a config says otherwise. */
    public static long classes(ModelConfig c) {
        long named = c.section("id2label").entries().size();
        return c.size("num_labels", named == 0 ? 2 : named);
    }
}
