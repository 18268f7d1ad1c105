package dev.headroom.validation.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/** A public field that can be assigned from anywhere makes every value doubtful. */
final class NoPublicMutableFields extends ArchCondition<JavaClass> {
    NoPublicMutableFields() {
        super("have no public field that is not final");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        type.getFields().stream()
                .filter(f -> f.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(f -> !f.getModifiers().contains(JavaModifier.FINAL))
                .forEach(f ->
                        events.add(SimpleConditionEvent.violated(f, f.getFullName() + " is public and not final")));
    }
}
