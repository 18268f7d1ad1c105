/**
 * What of a model is trained, and what fine-tuning adds to it: the options. What they do to a graph is in {@code peft}.
 */
@NullMarked
package dev.headroom.model.adapter;

import org.jspecify.annotations.NullMarked;
