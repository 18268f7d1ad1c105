/**
 * What users write on the command line and what is made of it: options of scenarios and devices, sizes and choices in
 * words. A mistake becomes one line, a {@link dev.headroom.app.option.BadOption}. The settings themselves, with their
 * help, are rows of {@link dev.headroom.model.scenario.ScenarioSettings}.
 */
@NullMarked
package dev.headroom.app.option;

import org.jspecify.annotations.NullMarked;
