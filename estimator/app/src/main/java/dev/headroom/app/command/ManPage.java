package dev.headroom.app.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** A command and the commands below it as a manual page in roff, from the parser's own description of them. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    static String of(CommandLine command) {
        ManPage man = new ManPage();
        CommandSpec spec = command.getCommandSpec();
        man.line(".TH HEADROOM 1 \"\" \""
                + String.join("", command.getCommandSpec().version()) + "\"");
        man.section("NAME");
        man.text("headroom - " + sentence(spec));
        man.section("SYNOPSIS");
        man.text(".B headroom\n[\\fIcommand\\fR] [\\fIoptions\\fR]");
        man.section("DESCRIPTION");
        man.footer(spec);
        for (Map.Entry<String, CommandLine> e : new TreeMap<>(command.getSubcommands()).entrySet()) {
            man.command(e.getKey(), e.getValue().getCommandSpec());
        }
        return man.page.toString();
    }

    private void command(String name, CommandSpec spec) {
        section("HEADROOM " + name.toUpperCase(Locale.ROOT));
        StringBuilder usage = new StringBuilder(".B headroom " + name + "\n");
        for (PositionalParamSpec p : spec.positionalParameters()) {
            usage.append("\\fI").append(escaped(p.paramLabel())).append("\\fR ");
        }
        text(usage + "[\\fIoptions\\fR]");
        line(".PP");
        text(escaped(sentence(spec)));
        spec.positionalParameters().forEach(p -> entry(p.paramLabel(), p));
        for (OptionSpec option : spec.options()) {
            if (!option.hidden()) {
                entry(names(option), option);
            }
        }
        footer(spec);
    }

    private static String names(OptionSpec option) {
        List<String> words = new ArrayList<>();
        for (String name : option.names()) {
            words.add(option.arity().max() == 0 ? name : name + "=" + option.paramLabel());
        }
        return String.join(", ", words);
    }

    private void entry(String name, ArgSpec arg) {
        line(".TP");
        line(".B " + escaped(name));
        text(escaped(plain(arg.description())));
    }

    private void footer(CommandSpec spec) {
        UsageMessageSpec usage = spec.usageMessage();
        for (String line : usage.footer()) {
            if (line.isBlank()) {
                line(".PP");
            } else {
                text(escaped(plain(line)));
            }
        }
    }

    private static String sentence(CommandSpec spec) {
        return plain(spec.usageMessage().description());
    }

    /** Without picocli's mark-up. */
    private static String plain(String... lines) {
        return Ansi.OFF.string(String.join(" ", lines).replace("%n", " ").replace("%%", "%"));
    }

    private void section(String title) {
        line(".SH " + title);
    }

    private void text(String text) {
        line(text.strip());
    }

    private void line(String line) {
        page.append(line).append('\n');
    }

    /** Roff reads a minus as a hyphen, and a line that begins with a dot or an apostrophe as a request. */
    private static String escaped(String text) {
        String safe = text.replace("\\", "\\e").replace("-", "\\-");
        return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
    }
}
