package dev.headroom.app.sweep;

import dev.headroom.app.ask.Models;
import java.io.Serial;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * The scenarios as every executor gets them once, and what its threads share: a model is read once in each process.
 */
final class SparkRows implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String file;
    private final String text;
    private transient @Nullable ThreadLocal<RowAnswers> answers;

    /**
     * Takes a file of scenarios.
     *
     * @param file its name, which tells what it is
     */
    SparkRows(String file, String text) {
        this.file = file;
        this.text = text;
    }

    /** Those of the thread. */
    private synchronized RowAnswers answers() {
        if (answers == null) {
            Scenarios scenarios = Scenarios.read(Path.of(file), text);
            Models models = new Models();
            answers = ThreadLocal.withInitial(() -> new RowAnswers(scenarios, models));
        }
        return answers.get();
    }

    /** On an executor: the lines of the rows of a part. */
    static final class Part extends AbstractFunction1<Iterator<int[]>, String[]> implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        private final Broadcast<SparkRows> rows;

        Part(Broadcast<SparkRows> rows) {
            this.rows = rows;
        }

        @Override
        public String[] apply(Iterator<int[]> parts) {
            RowAnswers answers = rows.value().answers();
            List<String> lines = new ArrayList<>();
            while (parts.hasNext()) {
                for (int row : parts.next()) {
                    lines.add(answers.row(row).line());
                }
            }
            return lines.toArray(String[]::new);
        }
    }
}
