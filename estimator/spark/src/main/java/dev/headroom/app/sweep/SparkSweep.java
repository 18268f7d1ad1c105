package dev.headroom.app.sweep;

import dev.headroom.app.command.Main;
import dev.headroom.model.error.UserInputException;
import it.unimi.dsi.fastutil.ints.IntList;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import picocli.CommandLine.Command;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * {@code headroom sweep} on the cores of a cluster. Executors answer rows; the driver keeps the journal, from which it
 * writes the table as a sweep of one machine does, and with which a sweep that was killed goes on.
 */
@Command(
        name = SparkSweep.NAME,
        description = "Predicts many scenarios on a cluster of Apache Spark; spark-submit starts it.")
public final class SparkSweep extends SweepCommand {
    static final String NAME = "spark-sweep";

    /** Parts for each core, so that all cores end at nearly the same time. */
    private static final int PARTS_OF_A_CORE = 16;

    /** Most rows of a part, which come back together, a kilobyte each. */
    private static final int MOST = 2000;

    private static final ClassTag<String[]> LINES = ClassTag$.MODULE$.apply(String[].class);

    /** For the command line. */
    public SparkSweep() {}

    /** Takes the arguments of {@code headroom sweep}, and exits with its status where that is not 0. */
    public static void main(String[] args) {
        String[] words = new String[args.length + 1];
        words[0] = NAME;
        System.arraycopy(args, 0, words, 1, args.length);
        int status = Main.run(
                new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)),
                new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8)),
                words);
        if (status != 0) {
            Runtime.getRuntime().exit(status);
        }
    }

    @Override
    void answer(Sweep sweep, Journal journal, IntConsumer progress) {
        SparkConf conf = new SparkConf().setIfMissing("spark.app.name", "headroom sweep " + file.getFileName());
        // The driver keeps no answer in memory: how many there are is no reason to stop.
        conf.setIfMissing("spark.driver.maxResultSize", "0");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            int parts = spark.defaultParallelism() * PARTS_OF_A_CORE;
            int each = Math.max(1, Math.min(MOST, sweep.rows().length / parts));
            List<int[]> missing = sweep.missing(journal, each);
            if (!missing.isEmpty()) {
                run(spark, missing, new Kept(missing, journal, progress));
            }
        } catch (Exception e) {
            throw said(e);
        }
    }

    private void run(JavaSparkContext spark, List<int[]> parts, Kept kept) {
        SparkRows rows = new SparkRows(file.toString(), Scenarios.text(file));
        spark.sc()
                .runJob(
                        spark.parallelize(parts, parts.size()).rdd(),
                        new SparkRows.Part(spark.broadcast(rows)),
                        kept,
                        LINES);
    }

    /** Scala declares no exceptions: Spark's come through methods that name none. */
    private static RuntimeException said(Exception e) {
        if (e instanceof SparkException) {
            return new UserInputException("Spark: " + e.getMessage(), e);
        }
        return e instanceof RuntimeException known ? known : new IllegalStateException(e);
    }

    /** On the driver: adds the answers to the journal as they come, a part after the other. */
    private static final class Kept extends AbstractFunction2<Object, String[], BoxedUnit> {
        private final List<int[]> parts;
        private final Journal journal;
        private final IntConsumer progress;

        Kept(List<int[]> parts, Journal journal, IntConsumer progress) {
            this.parts = parts;
            this.journal = journal;
            this.progress = progress;
        }

        @Override
        public BoxedUnit apply(Object part, String[] lines) {
            journal.add(IntList.of(parts.get((Integer) part)), List.of(lines));
            progress.accept(journal.done());
            return BoxedUnit.UNIT;
        }
    }
}
