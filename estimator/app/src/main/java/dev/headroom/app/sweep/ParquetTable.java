package dev.headroom.app.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;

/** Apache Parquet: every column may be null. Dictionaries make it small; no codec is needed to read it. */
final class ParquetTable implements TableFile {
    private final ParquetWriter<Row> rows;

    ParquetTable(Path file, List<Column> columns) throws IOException {
        Files.deleteIfExists(file);
        rows = new Builder(new LocalOutputFile(file), columns)
                .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
                .build();
    }

    @Override
    public void write(Row row) throws IOException {
        rows.write(row);
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }

    private static final class Builder extends ParquetWriter.Builder<Row, Builder> {
        private final List<Column> columns;

        Builder(OutputFile file, List<Column> columns) {
            super(file);
            this.columns = columns;
        }

        @Override
        protected Builder self() {
            return this;
        }

        @Override
        @Deprecated // and abstract all the same
        protected WriteSupport<Row> getWriteSupport(Configuration unused) {
            return new Rows(columns);
        }
    }

    private static final class Rows extends WriteSupport<Row> {
        private final List<Column> columns;
        private @Nullable RecordConsumer to;

        Rows(List<Column> columns) {
            this.columns = columns;
        }

        @Override
        @Deprecated // and abstract all the same
        public WriteContext init(Configuration unused) {
            return new WriteContext(
                    new MessageType("sweep", columns.stream().map(Rows::type).toList()), Map.of());
        }

        private static Type type(Column column) {
            return switch (column.kind()) {
                case WHOLE -> primitive(PrimitiveTypeName.INT64, column);
                case REAL -> primitive(PrimitiveTypeName.DOUBLE, column);
                case TRUTH -> primitive(PrimitiveTypeName.BOOLEAN, column);
                case TEXT ->
                    Types.optional(PrimitiveTypeName.BINARY)
                            .as(LogicalTypeAnnotation.stringType())
                            .named(column.name());
            };
        }

        private static PrimitiveType primitive(PrimitiveTypeName type, Column column) {
            return Types.optional(type).named(column.name());
        }

        @Override
        public void prepareForWrite(RecordConsumer consumer) {
            to = consumer;
        }

        @Override
        public void write(Row row) {
            RecordConsumer out = Objects.requireNonNull(to, "prepareForWrite comes first");
            out.startMessage();
            for (int i = 0; i < columns.size(); i++) {
                Object cell = row.get(i);
                if (cell != null) {
                    out.startField(columns.get(i).name(), i);
                    cell(cell, out);
                    out.endField(columns.get(i).name(), i);
                }
            }
            out.endMessage();
        }

        private static void cell(Object cell, RecordConsumer out) {
            if (cell instanceof Long whole) {
                out.addLong(whole);
            } else if (cell instanceof Double real) {
                out.addDouble(real);
            } else if (cell instanceof Boolean truth) {
                out.addBoolean(truth);
            } else {
                out.addBinary(Binary.fromString(cell.toString()));
            }
        }
    }
}
