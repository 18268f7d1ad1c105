package dev.headroom.app.page;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code <} of JSON strings as an escape: within an element of HTML, {@code </script>} and {@code <!--} would
 * mean something, whatever language is inside.
 */
final class InScript extends CharacterEscapes {
    private static final long serialVersionUID = 1L;

    private final int[] ascii = standardAsciiEscapesForJSON();

    InScript() {
        ascii['<'] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
        return null;
    }
}
