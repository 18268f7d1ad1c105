package dev.headroom.validation.real;

/** Reads files of one format. */
interface RealFile {
    /** MiB that nvidia-smi shows as the total of an A100-SXM4-40GB less what the driver keeps. */
    long A100_USABLE = 40_536L << 20;

    /** Whether a table is of the format. */
    boolean reads(CsvRows rows);

    /**
     * Its runs.
     *
     * @throws dev.headroom.model.error.UserInputException for a field that makes no sense
     */
    RealSet set(CsvRows rows, Archives archives);
}
