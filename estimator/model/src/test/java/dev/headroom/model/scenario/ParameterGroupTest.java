package dev.headroom.model.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParameterGroupTest {
    private static ParameterGroup group(String text) {
        return ParameterGroup.FORMAT.read().apply(List.of(text)).get(0);
    }

    @Test
    void aStarIsAnyTextAndAllElseIsItself() {
        ParameterGroup group = group("*.bias, head.w");
        assertTrue(group.names("layer.0.bias") && group.names("head.w"));
        assertFalse(group.names("bias") || group.names("headxw") || group.names("head.w.more"));
    }

    @Test
    void aGroupHasTheRunsSettingsButForItsOwn() {
        Scenario run = Scenario.builder()
                .build()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)
                .with(OptimizerSettings.WEIGHT_DECAY, true)
                .with(ScenarioSettings.FUSED, true);
        OptimizerChoice without = group("*;weight-decay=false").choice(run);
        assertEquals(OptimizerKind.SGD_MOMENTUM, without.kind());
        assertTrue(without.fused() && !without.options().weightDecay());
        OptimizerChoice other = group("*;amsgrad;optimizer=adam").choice(run);
        assertEquals(OptimizerKind.ADAM, other.kind());
        assertTrue(
                other.options().amsgrad() && !other.fused() && !other.options().weightDecay());
    }

    @Test
    void anotherOptimizersSettingDoesNotFit() {
        assertFalse(group("*;nesterov").fits(Scenario.defaults()));
        assertTrue(group("*;nesterov;optimizer=sgd-momentum").fits(Scenario.defaults()));
        assertFalse(group("*;optimizer=none").fits(Scenario.defaults()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a,,b | holds an empty name",
                "*;weight-deca=true | 'weight-deca' is no setting of an optimizer; did you mean 'weight-decay'?",
                "*;batch=4 | 'batch' is no setting of an optimizer; it takes optimizer, foreach",
                "*;fused=maybe | fused is true or false",
                "*;optimizer=zork | 'zork' is not known",
            })
    void whatCannotBeIsNamed(String text, String reason) {
        BadValue e = assertThrows(BadValue.class, () -> group(text));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
