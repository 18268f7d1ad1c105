package dev.headroom.app.serve;

import dev.headroom.app.option.BadOption;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The service: Jetty, the endpoints and the models that were sent. */
public final class Service implements AutoCloseable {
    /** Threads that read and write; none of them waits for anybody. */
    private static final int THREADS = 16;

    /** Connections that the operating system keeps until they are accepted. */
    private static final int BACKLOG = 2048;

    private static final int HEADERS = 16 << 10;

    /**
     * A connection on which nothing moves is kept for so much longer than a request may take: closed any earlier, it
     * would be gone at the very moment when an answer that took too long is said, or the next request sent.
     */
    private static final Duration KEPT = Duration.ofSeconds(30);

    private final Server server;
    private final ServerConnector connector;
    private final Store store;
    private final Endpoints endpoints;

    private Service(Server server, ServerConnector connector, Store store, Endpoints endpoints) {
        this.server = server;
        this.connector = connector;
        this.store = store;
        this.endpoints = endpoints;
    }

    /**
     * Begins to listen.
     *
     * @param port 0 for any that is free
     * @throws BadOption when the address cannot be had
     */
    static Service start(String host, int port, Limits limits) throws IOException {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setName("http");
        Server server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(HEADERS);
        long idle = limits.time().plus(KEPT).toMillis();
        http.setIdleTimeout(idle);
        ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setHost(host);
        connector.setPort(port);
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(idle);
        server.addConnector(connector);
        server.setErrorHandler(new PlainErrors());
        Store store = new Store(limits);
        Endpoints endpoints = new Endpoints(limits, store);
        server.setHandler(new Exchange(endpoints, limits));
        Service service = new Service(server, connector, store, endpoints);
        try {
            server.start();
        } catch (Exception e) {
            service.close();
            String why = e.getCause() instanceof BindException || e instanceof BindException
                    ? "the address is taken, or not this machine's"
                    : String.valueOf(e.getMessage());
            throw new BadOption("--host, --port: cannot listen on " + host + ":" + port + ": " + why);
        }
        return service;
    }

    /** The port that it listens on. */
    int port() {
        return connector.getLocalPort();
    }

    /** Waits until somebody stops it. */
    void await() throws InterruptedException {
        server.join();
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IOException(e);
        } finally {
            endpoints.close();
            store.close();
        }
    }
}
