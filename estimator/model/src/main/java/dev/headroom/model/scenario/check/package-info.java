/**
 * What a scenario cannot mean: settings that contradict each other, each refused in one line. Only rules that no single
 * setting can hold stand here; what one setting needs stands at its row of the table.
 */
@NullMarked
package dev.headroom.model.scenario.check;

import org.jspecify.annotations.NullMarked;
