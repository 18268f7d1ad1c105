/**
 * What is trained, how, and on what. A {@link dev.headroom.model.scenario.Scenario} is an immutable record of nested
 * records, so that it can be a key; it is changed by making another one. {@link
 * dev.headroom.model.scenario.ScenarioSettings} is the table of everything that can be set. Differences between
 * versions of PyTorch have names in {@link dev.headroom.model.scenario.TorchVersion}. Nothing here knows how a scenario
 * is played.
 */
@NullMarked
package dev.headroom.model.scenario;

import org.jspecify.annotations.NullMarked;
