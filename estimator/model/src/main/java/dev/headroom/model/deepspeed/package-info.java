/**
 * DeepSpeed's JSON: what it says about memory, key by key. {@link dev.headroom.model.deepspeed.DeepSpeedConfig} reads a
 * whole file; keys that nobody asked for are named, so that nothing is left out silently.
 */
@NullMarked
package dev.headroom.model.deepspeed;

import org.jspecify.annotations.NullMarked;
