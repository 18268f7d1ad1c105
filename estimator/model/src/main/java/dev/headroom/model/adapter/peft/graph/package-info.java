/**
 * The tools with which a graph is rewritten around a layer. A {@link dev.headroom.model.adapter.peft.graph.CallSpan} is
 * the layer's call as the graph has it; a {@link dev.headroom.model.adapter.peft.graph.LayerWriter} writes another in
 * its place. What is wrapped, and how the model's state changes by it, are values here, too.
 */
@NullMarked
package dev.headroom.model.adapter.peft.graph;

import org.jspecify.annotations.NullMarked;
