package dev.headroom.validation.fuzz;

import dev.headroom.fixtures.Fixtures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/** Everything that reads a file of a user: how a good file is changed, and which command reads it. */
enum Reader {
    ARCHIVE(
            Form.ARCHIVE,
            "model.pt2",
            "predict {} --batch 2 --steps 2",
            "models/small/mlp-xor.pt2",
            "models/small/cnn-small.pt2",
            "models/small/vgg16.pt2",
            "plans/net.pt2",
            "models/configs/llama-tiny.pt2"),
    EXPLAINED(Form.ARCHIVE, "model.pt2", "explain {} --batch 2 --gpu rtx-3090", "models/small/cnn-small.pt2"),
    RECORDED_PROGRAM(
            Form.ARCHIVE,
            "program.pt2",
            "predict {} --steps 2",
            "recorded/gates.pt2",
            "recorded/swish.pt2",
            "recorded/branches.pt2"),
    RECORDING(
            Form.JSON,
            "run.json",
            "validate .",
            "recordings/cnn-small-b100-adam.json.gz",
            "recordings/mlp-xor-plain.json.gz"),
    ALLOCATOR_PROGRAM(Form.JSON, "program.json", "replay {} --json", "fuzz/seeds/program.json"),
    TRACE(Form.JSON, "trace.json", "replay {} --json", "fuzz/seeds/trace.json.gz"),
    PACKED_TRACE(Form.BYTES, "trace.json.gz", "replay {} --json", "recordings/allocator/default-tiny.json.gz"),
    SNAPSHOT(Form.PICKLE, "snapshot.pickle", "replay {}", "snapshots/resnet18-b4-i64-sgd.pickle.gz"),
    CONFIG(
            Form.JSON,
            "config.json",
            "predict {} --batch 2 --seq 16 --steps 2",
            "models/configs/llama-tiny.json",
            "models/configs/gpt-oss-tiny.json",
            "models/configs/mixtral-tiny.json",
            "models/configs/gemma3-tiny.json",
            "recorded/bloom-config.json"),
    GENERATED(
            Form.JSON,
            "config.json",
            "predict {} --batch 2 --seq 8 --generate 4 --inference",
            "models/configs/qwen3-tiny.json",
            "models/configs/gemma2-tiny.json"),
    CAPACITY(
            Form.JSON,
            "config.json",
            "serve-capacity {} --seq 64 --generate 16 --gpu rtx-3090",
            "models/configs/llama-tiny.json"),
    TUNED(
            Form.JSON,
            "config.json",
            "predict {} --batch 2 --seq 16 --steps 2 --lora 4 --targets all-linear --quant nf4",
            "models/configs/mistral-tiny.json",
            "models/configs/phi3-tiny.json"),
    WEIGHTS(Form.SAFETENSORS, "model.safetensors", "predict . --batch 2 --seq 16 --steps 2", "fuzz/seeds/weights.json"),
    ONNX(Form.PROTOBUF, "model.onnx", "predict {} --inference --steps 2 --batch 4", "onnx/mlp.onnx"),
    ONNX_OPERATORS(
            Form.PROTOBUF,
            "model.onnx",
            "predict {} --inference --steps 2",
            "onnx/operators/argmax.onnx",
            "onnx/operators/conv-transpose.onnx",
            "onnx/operators/einsum.onnx",
            "onnx/operators/gather-elements.onnx",
            "onnx/operators/layer-norm.onnx",
            "onnx/operators/masked.onnx",
            "onnx/operators/pad.onnx",
            "onnx/operators/pixel-shuffle.onnx",
            "onnx/operators/reduce-l2.onnx",
            "onnx/operators/resize-bilinear.onnx",
            "onnx/operators/scatter-elements.onnx",
            "onnx/operators/tile.onnx",
            "onnx/operators/topk.onnx",
            "onnx/operators/trilu.onnx"),
    DEEPSPEED(
            Form.JSON,
            "deepspeed.json",
            "predict net.pt2 --parallel zero3 --world 2 --batch 4 --steps 2 --ds-config {}",
            "fuzz/seeds/deepspeed.json"),
    TENSOR_PARALLEL_PLAN(
            Form.JSON,
            "plan.json",
            "predict net.pt2 --parallel tp --world 2 --batch 4 --steps 2 --tp-plan {}",
            "plans/rows.plan.json",
            "plans/sp.plan.json"),
    COMPILED_PLAN(Form.JSON, "compiled.json", "predict {}", "recordings/compile/plans/cnn-small-b100-adam.json.gz"),
    LOOP(
            Form.TEXT,
            "loop.yaml",
            "predict {} --batch 2 --steps 2",
            "loops/gan.yaml",
            "loops/averages.yaml",
            "loops/wgan.yaml"),
    GRID(Form.TEXT, "grid.yaml", "sweep {} -o out.csv --jobs 1", "fuzz/seeds/grid.yaml"),
    TABLE(Form.TEXT, "table.csv", "sweep {} -o out.jsonl --jobs 1", "fuzz/seeds/table.csv"),
    COMMAND_LINE(
            Form.ARGUMENTS,
            "arguments.txt",
            "",
            "fuzz/seeds/predict.txt",
            "fuzz/seeds/parallel.txt",
            "fuzz/seeds/tuned.txt",
            "fuzz/seeds/config.txt",
            "fuzz/seeds/capacity.txt",
            "fuzz/seeds/advise.txt"),
    MEASURED_RUNS(
            Form.TEXT,
            "runs.csv",
            "validate --real-runs . --archives beside",
            "fuzz/seeds/ladder.csv",
            "fuzz/seeds/perceptrons.csv"),
    UPLOAD(Form.JSON, "config.json", "POST /v1/models", "models/configs/llama-tiny.json"),
    UPLOADED_ARCHIVE(Form.ARCHIVE, "model.pt2", "POST /v1/models", "models/small/mlp-xor.pt2"),
    STRATEGIES(Form.REQUEST, "request.json", "POST /v1/strategies", "fuzz/seeds/strategies.json"),
    REQUEST(Form.REQUEST, "request.json", "POST /v1/predict", "fuzz/seeds/request.json"),
    ADVICE(Form.REQUEST, "request.json", "POST /v1/overview", "fuzz/seeds/request.json");

    private final Form form;
    private final String file;
    private final String call;
    private final List<String> seeds;
    private final Map<Integer, byte[]> read = new ConcurrentHashMap<>();

    /**
     * @param file what the command finds the bytes under
     * @param call the command line, where {} is the file; the path of the service; or nothing, when the lines of the
     *     file are the arguments
     * @param seeds good files, below {@code fixtures}; a gzipped one is unpacked
     */
    Reader(Form form, String file, String call, String... seeds) {
        this.form = form;
        this.file = file;
        this.call = call;
        this.seeds = List.of(seeds);
    }

    Form form() {
        return form;
    }

    String file() {
        return file;
    }

    String call() {
        return call;
    }

    int seeds() {
        return seeds.size();
    }

    /** A good file, which is read once. */
    byte[] seed(int number) {
        return read.computeIfAbsent(number, this::readSeed);
    }

    private byte[] readSeed(int number) {
        Path path = Fixtures.folder().resolve(seeds.get(number));
        try {
            byte[] bytes = Files.readAllBytes(path);
            return path.toString().endsWith(".gz")
                    ? new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes()
                    : bytes;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A good file as it is read. */
    byte[] unchanged(int number) {
        return form.edited(seed(number), new Program(this, number, List.of()));
    }

    /** Where the inputs are kept that once found a defect. */
    Path findings() {
        return Fixtures.folder().resolve("fuzz").resolve(name().toLowerCase(java.util.Locale.ROOT));
    }
}
