package dev.headroom.app.command;

import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The command line, put together and run inside a process or a test. No lambda here takes picocli's {@code
 * CommandLine}: the launcher's archive of classes would have to link that class for it, and leaves out what it linked
 * of libraries compiled for Java 5, so that each start would read and verify the largest class of all.
 */
final class Cli {
    /** Commands that tell of all commands. */
    private static final Set<String> ABOUT_ALL = Set.of(CompletionCommand.NAME, ManCommand.NAME);

    /** The parser's time grows with their square. */
    private static final int MOST_WORDS = 4096;

    static {
        // Otherwise picocli looks for Groovy, in every jar.
        System.setProperty("picocli.disable.closures", "true");
        // No option is a date or of a database: picocli would look each of those classes up.
        System.setProperty("picocli.converters.excludes", "java\\.(time|sql)\\..*");
    }

    private final Services engine;
    private final boolean debug;

    /** @param debug whether a failure prints its stack trace too */
    Cli(Services engine, boolean debug) {
        this.engine = engine;
        this.debug = debug;
    }

    /** Runs one command; returns the exit status. */
    int run(PrintWriter out, PrintWriter err, String... args) {
        Failures failures = new Failures(err, debug);
        try {
            if (args.length > MOST_WORDS) {
                throw new UserInputException(
                        args.length + " words; a command line has at most " + MOST_WORDS + ", leave some out");
            }
            if (mayAskForHelp(args)) {
                return line(out, err, setting -> true, args).execute(args);
            }
            CommandLine line = line(out, err, ScenarioOptions.among(List.of(args)), args);
            line.setParameterExceptionHandler(new WithAllOptions(out, err));
            return line.execute(args);
        } catch (StackOverflowError
                | OutOfMemoryError
                | RuntimeException
                | LinkageError
                | ServiceConfigurationError e) {
            return failures.tell(e);
        } finally {
            out.flush();
            err.flush();
        }
    }

    /** Help lists all options, and its own are the only ones of a letter. */
    private static boolean mayAskForHelp(String... args) {
        for (String word : args) {
            if (word.equals("--help") || word.startsWith("-") && !word.startsWith("--")) {
                return true;
            }
        }
        return false;
    }

    private CommandLine line(PrintWriter out, PrintWriter err, Predicate<Setting<?>> offered, String... args) {
        CommandLine line = new CommandLine(new Root().spec);
        addCommands(line, offered, args.length == 0 ? "" : args[0]);
        line.setOut(out).setErr(err);
        Failures failures = new Failures(err, debug);
        line.setParameterExceptionHandler(failures);
        line.setExecutionExceptionHandler(failures);
        return line;
    }

    /** A command that is named needs no other one made; who asks for all, or for none that is known, gets all. */
    private void addCommands(CommandLine line, Predicate<Setting<?>> offered, String word) {
        Map<String, Supplier<Object>> commands = builtIn(offered);
        Supplier<Object> named = commands.get(word);
        if (named != null && !ABOUT_ALL.contains(word)) {
            line.addSubcommand(named.get());
            return;
        }
        for (Supplier<Object> command : commands.values()) {
            line.addSubcommand(command.get());
        }
        // Looking for providers opens every jar.
        for (Subcommand provided : ServiceLoader.load(Subcommand.class)) {
            line.addSubcommand(provided);
        }
    }

    /** The commands of this module, by name. */
    private Map<String, Supplier<Object>> builtIn(Predicate<Setting<?>> offered) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("predict", () -> new PredictCommand(engine, offered).spec);
        commands.put("advise", () -> new AdviseCommand(engine, offered).spec);
        commands.put("explain", () -> new ExplainCommand(engine, offered).spec);
        commands.put(ServeCapacityCommand.NAME, () -> new ServeCapacityCommand(engine, offered).spec);
        commands.put("replay", ReplayCommand::new);
        commands.put("devices", DevicesCommand::new);
        commands.put("models", ModelsCommand::new);
        commands.put("operators", OperatorsCommand::new);
        commands.put(CompletionCommand.NAME, CompletionCommand::new);
        commands.put(ManCommand.NAME, ManCommand::new);
        commands.put("export-help", ExportHelpCommand::new);
        return commands;
    }

    /** Reads a command line that was not understood again, with all options: they tell what was meant. */
    private final class WithAllOptions implements IParameterExceptionHandler {
        private final PrintWriter out;
        private final PrintWriter err;

        WithAllOptions(PrintWriter out, PrintWriter err) {
            this.out = out;
            this.err = err;
        }

        @Override
        public int handleParseException(ParameterException e, String[] args) {
            return line(out, err, setting -> true, args).execute(args);
        }
    }

    /** Tells of what went wrong, in one line. */
    private static final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
        private final PrintWriter err;
        private final boolean debug;

        Failures(PrintWriter err, boolean debug) {
            this.err = err;
            this.debug = debug;
        }

        @Override
        public int handleParseException(ParameterException e, String[] args) {
            return tell(e);
        }

        @Override
        public int handleExecutionException(Exception e, CommandLine line, ParseResult result) {
            return tell(e);
        }

        int tell(Throwable e) {
            err.println(ErrorLine.of(e));
            if (debug) {
                e.printStackTrace(err);
            }
            return ErrorLine.isBadInput(e) ? ExitStatus.BAD_INPUT : ExitStatus.DEFECT;
        }
    }

    /** {@code headroom} alone. */
    private static final class Root implements Runnable {
        final CommandSpec spec = CommandSpecs.command(
                        "headroom", this, "Will this training run fit on this GPU, and what takes the memory?")
                .versionProvider(new Version());

        Root() {
            spec.usageMessage()
                    .footer(
                            "",
                            "'headroom measure' runs a model and compares its memory with the prediction;"
                                    + " 'headroom local' lists the GPUs of this machine;"
                                    + " 'headroom validate' holds predictions against measured runs;"
                                    + " 'headroom sweep' predicts many scenarios;"
                                    + " 'headroom serve' answers over HTTP and in the browser.");
            CommandSpecs.withHelp(spec);
        }

        @Override
        public void run() {
            throw new ParameterException(
                    spec.commandLine(),
                    "no command given; try 'headroom predict model.pt2 --batch 32' or 'headroom --help'");
        }
    }
}
