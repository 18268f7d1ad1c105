package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The scenario of a prediction: the command line's options with their values, defaults included. */
final class ScenarioJson {
    private ScenarioJson() {}

    static void write(JsonGenerator json, Scenario run) throws IOException {
        json.writeObjectFieldStart("scenario");
        for (Setting<?> setting : ScenarioSettings.writtenOf(run)) {
            write(json, setting.key(), value(setting, run));
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String key, Object value) throws IOException {
        if (value instanceof Map<?, ?> numbers) {
            json.writeObjectFieldStart(key);
            for (Map.Entry<?, ?> number : numbers.entrySet()) {
                json.writeObjectField(number.getKey().toString(), number.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> texts) {
            JsonOutput.strings(json, key, texts.stream().map(String.class::cast).toList());
        } else {
            json.writeObjectField(key, value);
        }
    }

    private static <T> Object value(Setting<T> setting, Scenario run) {
        return setting.words().orElseThrow().format().json().apply(setting.get(run));
    }
}
