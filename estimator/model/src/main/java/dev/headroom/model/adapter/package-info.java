/**
 * What fine-tuning adds to a model and freezes of it. {@link dev.headroom.model.adapter.Adapters} rewrites a graph into
 * the calls that peft's layers make around those of the base model, with their parameters and how these are made;
 * {@link dev.headroom.model.adapter.LayerKind} is the table of what peft makes of which layer. Begin with {@link
 * dev.headroom.model.adapter.AdapterOptions}.
 */
@NullMarked
package dev.headroom.model.adapter;

import org.jspecify.annotations.NullMarked;
