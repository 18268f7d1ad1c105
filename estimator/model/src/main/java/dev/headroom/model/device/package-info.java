/**
 * Graphics cards: {@link GpuCatalogue} reads the table of cards ({@code gpus.csv}), {@link DeviceLines} tells what the
 * process takes on a card beside the allocator's memory (CUDA's context, libraries), from published figures or from
 * what was measured on this machine. {@link DeviceProbe} is the service that sees the cards of this machine.
 */
@NullMarked
package dev.headroom.model.device;

import org.jspecify.annotations.NullMarked;
