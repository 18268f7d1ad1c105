/**
 * Rewrites a graph into the calls that peft's layers make around those of the model, with their parameters and how
 * these are made. Begin with {@link dev.headroom.model.adapter.peft.Adapters}; {@link
 * dev.headroom.model.adapter.peft.layer.LayerKind} is the table of what peft makes of which layer.
 */
@NullMarked
package dev.headroom.model.adapter.peft;

import org.jspecify.annotations.NullMarked;
