package dev.headroom.estimator.parallel.unit;

import java.util.List;

/**
 * Modules that are wrapped together, mostly one, with what belongs to them and to no unit inside of them.
 *
 * @param modules their paths; "" is the model itself
 * @param parameters qualified names, the first of each tied one, modules in the order in which a depth-first walk
 *     leaves them
 * @param freed the same in the order of {@code named_parameters()}
 * @param buffers qualified names, in the order of the parameters
 */
public record Unit(List<String> modules, List<String> parameters, List<String> freed, List<String> buffers) {
    /** The path of the first module. */
    public String path() {
        return modules.get(0);
    }
}
