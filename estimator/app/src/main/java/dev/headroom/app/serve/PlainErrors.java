package dev.headroom.app.serve;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What Jetty refuses by itself, such as headers that are no HTTP, in the words of all other refusals. Jetty closes the
 * connection after it, which RFC 9112, 9.6, asks to say: else a client sends its next request into a closed connection.
 */
final class PlainErrors implements Request.Handler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Reply reply = Reply.refused(new Refused(response.getStatus(), HttpStatus.getMessage(response.getStatus())));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        response.write(true, ByteBuffer.wrap(reply.body()), callback);
        return true;
    }
}
