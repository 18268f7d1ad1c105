package dev.headroom.app.serve;

import dev.headroom.app.command.ExitStatus;
import dev.headroom.app.command.Subcommand;
import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.Sizes;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom serve}: answers over HTTP until it is stopped. */
@Command(
        name = "serve",
        description = "Answers over HTTP, with the JSON of predict and advise, and with a page for a browser.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "GET / is the page, /openapi.json describes the rest, /metrics is for Prometheus, /healthz for balancers.",
            "Exit status: 0 stopped, 2 bad input, 1 a defect of Headroom."
        })
public final class ServeCommand implements Subcommand {
    /** Where the token may stand: arguments are seen by all users of a machine. */
    private static final String TOKEN = "HEADROOM_TOKEN";

    @Spec
    CommandSpec spec;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "The address to listen on (default: 127.0.0.1, this machine alone).")
    String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "N", description = "The port to listen on (default: 8321; 0: any).")
    int port = 8321;

    @Option(
            names = "--models",
            paramLabel = "FOLDER",
            description = "Archives and folders with a config.json to offer beside the models that ship.")
    @Nullable
    Path models;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token that requests must bring; or the variable " + TOKEN + ".")
    @Nullable
    Path tokenFile;

    @Option(names = "--max-body", paramLabel = "SIZE", description = "Most bytes of a request (default: 64MiB).")
    String body = "64MiB";

    @Option(names = "--max-seconds", paramLabel = "N", description = "Most time of a request (default: 30).")
    int seconds = 30;

    @Option(names = "--workers", paramLabel = "N", description = "Answers computed at once (default: one a core).")
    int workers = Limits.DEFAULT.workers();

    @Option(
            names = "--queue",
            paramLabel = "N",
            description = "Requests that may wait for a worker; others get 429 (default: 256).")
    int queue = Limits.DEFAULT.waiting();

    /** For the command line. */
    public ServeCommand() {}

    @Override
    public Integer call() {
        Limits limits = limits();
        if (!isLoopback() && limits.token() == null) {
            throw new BadOption("--host " + host + " is open to other machines; set " + TOKEN + " or --token-file to"
                    + " a token that requests must bring");
        }
        try (Service service = Service.start(host, port, limits)) {
            PrintWriter out = spec.commandLine().getOut();
            out.println("Listening on http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + service.port());
            out.flush();
            service.await();
        } catch (IOException e) {
            throw new UserInputException("the folder for temporary files cannot be used: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitStatus.OK;
    }

    private Limits limits() {
        long bytes = Sizes.parse("--max-body", body);
        if (bytes < 1 || bytes > 1L << 30) {
            throw new BadOption("--max-body: " + body + " is out of range; it takes up to 1GiB");
        }
        positive("--max-seconds", seconds);
        positive("--workers", workers);
        positive("--queue", queue);
        if (models != null && !Files.isDirectory(models)) {
            throw new BadOption("--models: " + models + " is no folder");
        }
        return new Limits(bytes, Duration.ofSeconds(seconds), workers, queue, Limits.DEFAULT.stored(), models, token());
    }

    private static void positive(String option, int value) {
        if (value < 1) {
            throw new BadOption(option + ": " + value + " is out of range; give 1 or more");
        }
    }

    private @Nullable String token() {
        String token = System.getenv(TOKEN);
        if (tokenFile != null) {
            try {
                token = Files.readString(tokenFile).strip();
            } catch (IOException e) {
                throw new UserInputException("--token-file: " + tokenFile + " cannot be read: " + e.getMessage(), e);
            }
        }
        if (token != null && token.length() < 16) {
            throw new BadOption("the token is shorter than 16 characters, which can be guessed; make one with"
                    + " 'openssl rand -hex 32'");
        }
        return token;
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new BadOption("--host: " + host + " is not known");
        }
    }
}
