package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import dev.headroom.app.words.Door;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes JSON whose sentences name settings as users of a door write them. */
final class ToldJson extends JsonGeneratorDelegate {
    private final Door door;

    ToldJson(JsonGenerator json, Door door) {
        super(json);
        this.door = door;
    }

    @Override
    public void writeString(@Nullable String text) throws IOException {
        super.writeString(text == null ? null : door.tell(text));
    }
}
