package dev.headroom.model.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Plans for models whose modules have the usual names, from the resource {@code plans.json}: of the first entry whose
 * {@code when} are all modules of the model, and whose {@code unless} are not, the {@code plan} holds, or the
 * {@code sequence_parallel}; an entry that has none says for which models no plan is known. Those of transformers are
 * the library's own ({@code base_model_tp_plan} of a model's configuration) in the styles of parallelize_module: what
 * it calls colwise_gather_output leaves replicated outputs, rowwise_split_input takes replicated inputs; embeddings and
 * heads are shared as PyTorch's tutorial does it.
 */
public final class UsualPlans {
    private static final String RESOURCE = "plans.json";

    private UsualPlans() {}

    /**
     * The plan of a model.
     *
     * @param modules all paths of its modules
     * @throws UserInputException where no plan is known for modules of such names
     */
    public static TensorPlan of(List<String> modules, boolean sequenceParallel, boolean lossParallel) {
        for (JsonNode entry : table()) {
            if (fits(entry.path("when"), modules) && !(entry.has("unless") && fits(entry.path("unless"), modules))) {
                JsonNode plan = entry.path(sequenceParallel ? "sequence_parallel" : "plan");
                if (plan.isMissingNode()) {
                    String setting = entry.has("plan") ? "`sequence_parallel`" : "`parallel=tp`";
                    throw new UserInputException(setting + ": no usual plan is known for "
                            + entry.path("of").asText() + "; write one and name it with `tp_plan`");
                }
                return new PlanReader(lossParallel).plan(plan);
            }
        }
        throw new UserInputException(
                "`parallel=tp`: no usual plan is known for a model with such modules; write one as for"
                        + " parallelize_module and name it with `tp_plan`");
    }

    private static boolean fits(JsonNode when, List<String> modules) {
        boolean all = true;
        for (JsonNode pattern : when) {
            String wanted = pattern.asText();
            all &= wanted.startsWith("**.")
                    ? modules.stream().anyMatch(m -> m.endsWith(wanted.substring(2)))
                    : !ModulePaths.matching("", wanted, modules).isEmpty();
        }
        return all;
    }

    private static JsonNode table() {
        try (InputStream in = UsualPlans.class.getResourceAsStream(RESOURCE)) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }
}
