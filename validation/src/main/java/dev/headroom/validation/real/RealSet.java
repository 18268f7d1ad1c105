package dev.headroom.validation.real;

import java.util.List;

/**
 * Runs that were measured alike, on cards of one kind.
 *
 * @param name of the set
 * @param gpu name in the catalogue
 * @param usable bytes of the card that processes can have
 * @param runs in the file's order
 * @param left how many rows are not among the runs, by reason
 */
public record RealSet(String name, String gpu, long usable, List<RealRun> runs, List<String> left) {}
