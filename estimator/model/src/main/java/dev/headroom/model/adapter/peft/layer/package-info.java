/**
 * Which layers of a model peft adapts, and what it computes around each: {@link
 * dev.headroom.model.adapter.peft.layer.LayerKind} is the table of kinds. Every method of peft's writes its calls in an
 * {@link dev.headroom.model.adapter.peft.layer.AdapterLayer}, to which one more method is added.
 */
@NullMarked
package dev.headroom.model.adapter.peft.layer;

import org.jspecify.annotations.NullMarked;
