package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.family.decoder.Request;

/** An encoder and a head that scores what it makes. */
abstract class HeadedEncoder extends SeveralResults {
    final Request request;
    final Layer encoder;
    final Layer head;
    private final String type;

    /**
     * @param type class name
     * @param base the name of the encoder's module
     * @param top the name of the head's module
     */
    HeadedEncoder(String type, Request request, String base, Layer encoder, String top, Layer head) {
        this.type = type;
        this.request = request;
        this.encoder = child(base, encoder);
        this.head = child(top, head);
        if (Bert.headFirst(request)) {
            moveLast(base);
        }
    }

    @Override
    protected final String type() {
        return type;
    }
}
