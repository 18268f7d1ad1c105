package dev.headroom.model.parts;

import dev.headroom.model.checkpoint.CheckpointPlan;
import java.util.List;

/**
 * A part of a model. Its own graph may begin with nodes of parts before it, whose values it makes by itself.
 *
 * @param from first node in the whole graph
 * @param count of its nodes there
 * @param plan its own graph, and what is recomputed in it
 * @param inputs values that it is given: the user's, and what parts before it made
 * @param outputs values that it makes for the user and for parts behind it
 */
public record Part(int from, int count, CheckpointPlan plan, List<String> inputs, List<String> outputs) {}
