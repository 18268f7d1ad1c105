package dev.headroom.estimator.parallel.unit;

import java.util.List;

/**
 * A wrapped module with what belongs to it and to no unit inside of it.
 *
 * @param path of the module; "" is the model itself
 * @param parameters qualified names, the first of each tied one, modules in the order in which a depth-first walk
 *     leaves them
 * @param freed the same in the order of {@code named_parameters()}
 * @param buffers qualified names, in the order of the parameters
 */
public record Unit(String path, List<String> parameters, List<String> freed, List<String> buffers) {}
