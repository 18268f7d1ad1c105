import java.io.FileWriter;
import java.io.PrintWriter;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.classinfo.ClassName;
import org.pitest.classpath.ClassloaderByteArraySource;
import org.pitest.mutationtest.EngineArguments;
import org.pitest.mutationtest.build.InterceptorParameters;
import org.pitest.mutationtest.build.InterceptorType;
import org.pitest.mutationtest.build.MutationInterceptor;
import org.pitest.mutationtest.build.MutationInterceptorFactory;
import org.pitest.mutationtest.config.PluginServices;
import org.pitest.mutationtest.config.ReportOptions;
import org.pitest.mutationtest.engine.Mutater;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.mutationtest.engine.gregor.config.GregorEngineFactory;

/**
 * PIT's mutants, one after the other in one warm Java machine, against single recordings: see README.md.
 *
 * <pre>Mutants CLASSES-FOLDER PATTERN MUTANTS-A-CLASS OUT TEST-CLASS...</pre>
 */
public final class Mutants {
    /** Those that PIT's command line makes without being asked for others. */
    private static final List<String> MUTATORS = List.of(
            "INVERT_NEGS", "TRUE_RETURNS", "FALSE_RETURNS", "PRIMITIVE_RETURNS", "EMPTY_RETURNS", "NULL_RETURNS", "MATH",
            "VOID_METHOD_CALLS", "NEGATE_CONDITIONALS", "CONDITIONALS_BOUNDARY", "INCREMENTS");

    /** Processor time that the cases of a mutant get together; one that lives so long counts as living. */
    private static final long MOST_NANOS = Long.getLong("most.millis", 2_500) * 1_000_000;

    /** A case that takes ten times as long as it should, and so much more, does not end. */
    private static final long HANGS_NANOS = 5_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static Instrumentation instrumentation;
    private static LineProbes probes;

    private final ClassloaderByteArraySource source = ClassloaderByteArraySource.fromContext();
    private final List<Cases.Case> cases = new ArrayList<>();
    private final Map<Cases.Case, BitSet> lines = new HashMap<>();
    private final Map<Cases.Case, Long> nanos = new HashMap<>();

    private Mutants() {}

    /** The Java machine calls it before anything is loaded. */
    public static void premain(String pattern, Instrumentation given) {
        instrumentation = given;
        probes = new LineProbes(pattern);
        given.addTransformer(probes);
    }

    public static void main(String[] arguments) throws Exception {
        Mutants all = new Mutants();
        for (String test : List.of(arguments).subList(4, arguments.length)) {
            all.cases.addAll(Cases.of(Class.forName(test)));
        }
        all.look();
        all.run(Path.of(arguments[0]), arguments[1], Integer.parseInt(arguments[2]), arguments[3]);
        System.exit(0);
    }

    /** Which lines each case comes to, once tables are made; cases that fail by themselves are left out. */
    private void look() {
        cases.removeIf(c -> {
            boolean fails = !c.passes();
            if (fails) {
                System.err.println("left out: " + c.name());
            }
            return fails;
        });
        for (Cases.Case c : cases) {
            Caches.clear(instrumentation);
            probes.forget();
            long before = THREADS.getCurrentThreadCpuTime();
            c.passes();
            nanos.put(c, THREADS.getCurrentThreadCpuTime() - before);
            lines.put(c, probes.seen());
        }
        cases.sort(Comparator.comparing(nanos::get));
        System.err.println(cases.size() + " cases pass");
    }

    private void run(Path folder, String pattern, int most, String out) throws Exception {
        List<String> names;
        try (Stream<Path> files = Files.walk(folder)) {
            names = files.filter(f -> f.toString().endsWith(".class"))
                    .map(f -> folder.relativize(f).toString().replace('/', '.').replaceAll("\\.class$", ""))
                    .filter(name -> name.matches(pattern) && !name.endsWith("package-info"))
                    .sorted()
                    .toList();
        }
        Mutater mutater = new GregorEngineFactory()
                .createEngine(EngineArguments.arguments().withMutators(MUTATORS))
                .createMutator(source);
        List<MutationInterceptor> filters = filters();
        try (PrintWriter rows = new PrintWriter(new FileWriter(out), true)) {
            for (String name : names) {
                List<MutationDetails> found = found(name, mutater, filters);
                int take = Math.min(most, found.size());
                for (int i = 0; i < take; i++) {
                    MutationDetails one = found.get((int) ((i + 0.5) * found.size() / take));
                    rows.println(String.join("\t", name, one.getMethod(), "" + one.getLineNumber(),
                            one.getMutator().replaceAll(".*\\.", ""), tried(name, one, mutater), "" + found.size()));
                }
            }
        }
    }

    /** What PIT leaves out: what the compiler made, accessors of records, and the like. */
    private List<MutationInterceptor> filters() {
        List<MutationInterceptor> filters = new ArrayList<>();
        for (MutationInterceptorFactory factory : PluginServices.makeForContextLoader().findInterceptors()) {
            if (factory.provides().isOnByDefault()) {
                MutationInterceptor made = factory.createInterceptor(
                        new InterceptorParameters(null, new ReportOptions(), null, source, null, null));
                if (made.type() == InterceptorType.FILTER || made.type() == InterceptorType.MODIFY) {
                    filters.add(made);
                }
            }
        }
        return filters;
    }

    /** Mutants of a class without those of the tables that are made once at the start. */
    private List<MutationDetails> found(String name, Mutater mutater, List<MutationInterceptor> filters) {
        Collection<MutationDetails> found = mutater.findMutations(ClassName.fromString(name));
        for (MutationInterceptor filter : filters) {
            filter.begin(ClassTree.fromBytes(source.getBytes(name).orElseThrow()));
            found = filter.intercept(found, mutater);
            filter.end();
        }
        return found.stream().filter(m -> !m.getMethod().startsWith("register")).toList();
    }

    private String tried(String name, MutationDetails mutant, Mutater mutater) throws Exception {
        int line = probes.number(name, mutant.getLineNumber());
        List<Cases.Case> covering = cases.stream().filter(c -> lines.get(c).get(line)).toList();
        if (covering.isEmpty()) {
            return "NOT_RUN";
        }
        put(name, mutater.getMutation(mutant.getId()).getBytes());
        Trial trial = new Trial(covering);
        Thread thread = new Thread(null, trial, "mutant", 8 << 20);
        thread.setDaemon(true);
        thread.start();
        while (thread.isAlive()) {
            thread.join(50);
            long used = THREADS.getThreadCpuTime(thread.getId()) - trial.begun;
            if (thread.isAlive() && trial.now != null && used > 10 * nanos.get(trial.now) + HANGS_NANOS) {
                // A class of tests goes on with the next, which may not end either.
                while (thread.isAlive()) {
                    thread.stop();
                    thread.join(1000);
                }
                trial.status = "TIMED_OUT";
            }
        }
        put(name, source.getBytes(name).orElseThrow());
        Caches.clear(instrumentation);
        if (trial.status.equals("KILLED") && !trial.now.passes()) {
            throw new IllegalStateException(name + " left something behind: " + trial.now);
        }
        return trial.status;
    }

    private void put(String name, byte[] code) throws Exception {
        Class<?> loaded = Class.forName(name);
        instrumentation.redefineClasses(new ClassDefinition(loaded, LineProbes.withoutRecord(code)));
    }

    /** Runs cases until one fails. */
    private static final class Trial implements Runnable {
        private final List<Cases.Case> covering;
        private volatile String status = "SURVIVED";
        private volatile Cases.Case now;
        private volatile long begun;

        Trial(List<Cases.Case> covering) {
            this.covering = covering;
        }

        @Override
        public void run() {
            long first = THREADS.getCurrentThreadCpuTime();
            for (Cases.Case c : covering) {
                now = c;
                begun = THREADS.getCurrentThreadCpuTime();
                Caches.clear(instrumentation);
                if (!c.passes()) {
                    status = "KILLED";
                    return;
                }
                if (THREADS.getCurrentThreadCpuTime() - first > MOST_NANOS) {
                    status = "SURVIVED_SO_FAR";
                    return;
                }
            }
        }
    }
}
