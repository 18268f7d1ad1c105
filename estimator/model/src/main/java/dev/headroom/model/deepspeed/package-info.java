/**
 * DeepSpeed's JSON: what it says about memory, key by key. {@link dev.headroom.model.deepspeed.DeepSpeedConfig} reads a
 * whole file; keys that nobody asked for are named, so that nothing is left out silently.
 */
package dev.headroom.model.deepspeed;
