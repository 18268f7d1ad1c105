/**
 * What {@code torch.compile} makes of a model: the code that Inductor generated for each graph, as far as it allocates
 * and frees. {@link PlanImporter} reads such plans; the engine plays their statements as PyTorch runs them.
 */
@NullMarked
package dev.headroom.model.compiled;

import org.jspecify.annotations.NullMarked;
