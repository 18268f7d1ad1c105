/** Loops that people write, against recordings of the real PyTorch. */
package dev.headroom.validation.loops;
