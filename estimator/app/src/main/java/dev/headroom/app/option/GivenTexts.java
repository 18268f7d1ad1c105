package dev.headroom.app.option;

import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;

/** Where picocli puts what an option was given. */
public final class GivenTexts implements IGetter, ISetter {
    private final Map<Setting<?>, List<String>> given;
    private final Setting<?> setting;
    private final ValueFormat.Arity arity;

    GivenTexts(Map<Setting<?>, List<String>> given, Setting<?> setting, ValueFormat.Arity arity) {
        this.given = given;
        this.setting = setting;
        this.arity = arity;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // picocli casts to the option's type
    public <T> @Nullable T get() {
        List<String> texts = given.get(setting);
        Object value =
                switch (arity) {
                    case FLAG -> texts != null;
                    case ONE -> texts == null ? null : texts.get(0);
                    case MANY -> texts;
                };
        return (T) value;
    }

    @Override
    public <T> @Nullable T set(T value) {
        T before = get();
        if (value == null || Boolean.FALSE.equals(value)) {
            given.remove(setting);
        } else if (value instanceof List<?> texts) {
            // Picocli adds what comes later to the list that it gets from here.
            given.put(setting, texts.stream().map(String.class::cast).collect(Collectors.toCollection(ArrayList::new)));
        } else {
            given.put(setting, arity == ValueFormat.Arity.FLAG ? List.of() : List.of(value.toString()));
        }
        return before;
    }
}
