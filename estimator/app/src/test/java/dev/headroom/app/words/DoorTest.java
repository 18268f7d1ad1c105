package dev.headroom.app.words;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.option.ScenarioArguments;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoorTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            leave out `amp`               | leave out --amp                  | leave out amp                     | leave out "amp"
            take `dtype=bf16`, or fp16    | take --dtype bf16, or fp16       | take dtype="bf16", or fp16        | take "dtype": "bf16", or fp16
            `batch=8` is large            | --batch 8 is large               | batch=8 is large                  | "batch": 8 is large
            pass `batch=N`                | pass --batch N                   | pass batch=N                      | pass "batch": N
            `gpu=NAME` or `memory=SIZE`   | --gpu NAME or --memory SIZE      | gpu=NAME or memory=SIZE           | "gpu": NAME or "memory": SIZE
            add `find_unused_parameters`  | add --find-unused-parameters     | add find_unused_parameters=True   | add "find-unused-parameters": true
            `reentrant=false`             | --reentrant false                | reentrant=False                   | "reentrant": false
            `dims=INPUT.1=N`              | --dim INPUT.1=N                  | dim={"INPUT.1": N}                | "dim": "INPUT.1=N"
            `torch=2.10`                  | --torch 2.10                     | torch="2.10"                      | "torch": "2.10"
            `checkpoint_modules='a.*'`    | --checkpoint-modules 'a.*'       | checkpoint_modules="a.*"          | "checkpoint-modules": "a.*"
            (`batch=4` `accumulate=2`)    | (--batch 4 --accumulate 2)       | (batch=4, accumulate=2)           | ("batch": 4, "accumulate": 2)
            `layers` lists them           | --layers lists them              | Prediction.layers lists them      | "layers" of a prediction lists them
            a`b and `nothing` of `it=`    | a`b and `nothing` of `it=`       | a`b and `nothing` of `it=`        | a`b and `nothing` of `it=`
            """)
    void eachDoorWritesSettingsInItsWay(String sentence, String commandLine, String python, String service) {
        assertEquals(commandLine, Door.COMMAND_LINE.tell(sentence));
        assertEquals(python, Door.PYTHON.tell(sentence));
        assertEquals(service, Door.SERVICE.tell(sentence));
    }

    @Test
    void everySettingHasWordsAtEveryDoor() {
        for (Setting<?> setting : ScenarioSettings.all()) {
            String mention = new Mention(setting.key(), null).toString();
            assertEquals(ScenarioArguments.option(setting), Door.COMMAND_LINE.tell(mention));
            assertTrue(Door.PYTHON.tell(mention).matches("[a-z][a-z0-9_]*(=True)?"), mention);
            assertTrue(Door.SERVICE.tell(mention).matches("\"[a-z][a-z0-9-]*\"(: true)?"), mention);
        }
    }

    @Test
    void whatWasToldHasNothingLeftToTell() {
        String told = Door.SERVICE.tell("take `dtype=bf16` and no `amp`");
        assertEquals(told, Door.COMMAND_LINE.tell(told));
    }

    @Test
    void jsonStaysJson() throws IOException {
        StringWriter out = new StringWriter();
        JsonOutput.write(Door.SERVICE, out, json -> {
            json.writeStartObject();
            json.writeStringField("error", "take `dtype=bf16`");
            json.writeNullField("none");
            json.writeEndObject();
        });
        assertEquals(
                "take \"dtype\": \"bf16\"",
                new ObjectMapper().readTree(out.toString()).path("error").textValue());
    }
}
