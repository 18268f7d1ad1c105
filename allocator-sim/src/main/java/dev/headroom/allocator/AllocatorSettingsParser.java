package dev.headroom.allocator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code PYTORCH_CUDA_ALLOC_CONF} as c10 AllocatorConfig.cpp and CUDAAllocatorConfig.cpp do: tokens are keys,
 * values and the characters {@code , : [ ]}; whitespace does not count; the last of equal keys wins. One difference:
 * PyTorch does not check that the separators are the right ones, which is an error here.
 */
final class AllocatorSettingsParser {
    private static final long MOST_MIB = Long.MAX_VALUE / Bytes.MIB;
    private static final Pattern LEADING_NUMBER = Pattern.compile("[0-9]+");
    private static final Pattern LEADING_DECIMAL =
            Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    private final String conf;
    private final List<String> tokens = new ArrayList<>();
    private final AllocatorSettings.Builder settings = new AllocatorSettings.Builder();
    private int at;

    AllocatorSettingsParser(String conf) {
        this.conf = conf;
    }

    AllocatorSettings.Builder parse() {
        tokenize();
        settings.text = conf;
        // The size of large segments bounds other values, wherever it stands.
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).equals("large_segment_size_mb")) {
                at = i + 1;
                settings.largeSegmentSize = largeSegmentSize();
                i = at - 1;
            }
        }
        settings.maxNonSplitRounding = settings.largeSegmentSize;
        at = 0;
        while (at < tokens.size()) {
            option(tokens.get(at++));
            if (at < tokens.size()) {
                expect(",");
            }
        }
        return settings;
    }

    private void option(String key) {
        switch (key) {
            case "large_segment_size_mb" -> largeSegmentSize();
            case "max_split_size_mb" -> settings.maxSplitSize = atLeastSegment(key);
            case "max_non_split_rounding_mb" -> settings.maxNonSplitRounding = atLeastSegment(key);
            case "garbage_collection_threshold" -> garbageCollection();
            case "roundup_power2_divisions" -> divisions();
            case "expandable_segments" -> settings.expandableSegments = flag();
            case "per_process_memory_fraction" -> fraction();
            case "throw_on_cudamalloc_oom" -> settings.rejectsEarly = flag();
            case "backend" -> backend();
            // These have no bearing on which device memory is taken: locks, host memory, graph topology.
            case "release_lock_on_cudamalloc",
                    "release_lock_on_hipmalloc",
                    "graph_capture_record_stream_reuse",
                    "pinned_use_cuda_host_register",
                    "pinned_use_hip_host_register",
                    "pinned_use_background_threads",
                    "pinned_free_catch_all" -> flag();
            case "pinned_max_round_threshold_mb", "pinned_max_cached_size_mb" -> size();
            case "pinned_num_register_threads" -> registerThreads();
            case "pinned_reserve_segment_size_mb" ->
                check(size() > 0, "Pinned reserve segment size has to be greater than 0");
            default -> throw error("Unrecognized key '" + key + "' in CUDA allocator config.");
        }
    }

    private long largeSegmentSize() {
        long mib = size();
        check(mib > 10, "CachingAllocator option large_segment_size_mb must be > 10 MB");
        return Math.min(mib, MOST_MIB) * Bytes.MIB;
    }

    private long atLeastSegment(String key) {
        long mib = size();
        long least = settings.largeSegmentSize / Bytes.MIB;
        check(mib >= least, "CachingAllocator option " + key + " too small, must be >= " + least);
        return mib > MOST_MIB ? Long.MAX_VALUE : mib * Bytes.MIB;
    }

    private void garbageCollection() {
        double value = decimal();
        check(value > 0 && value < 1, "garbage_collect_threshold is invalid, set it in (0.0, 1.0)");
        settings.garbageCollectionThreshold = value;
    }

    private void fraction() {
        double value = decimal();
        check(value >= 0 && value <= 1, "per_process_memory_fraction is invalid, set it in [0.0, 1.0]");
        settings.memoryFraction = value;
    }

    private void registerThreads() {
        long threads = size();
        check(Long.bitCount(threads) == 1, "Number of register threads has to be power of 2, got " + threads);
        check(threads <= 128, "Number of register threads should be less than or equal to 128, got " + threads);
    }

    private void backend() {
        expect(":");
        String name = next();
        if (name.equals("cudaMallocAsync")) {
            throw error("backend cudaMallocAsync is not modelled: it leaves caching to the driver, whose rules are not"
                    + " published; use backend:native");
        }
        check(name.equals("native"), "Unknown allocator backend, options are native and cudaMallocAsync");
    }

    private void divisions() {
        expect(":");
        if (at < tokens.size() && tokens.get(at).equals("[")) {
            at++;
            divisionList();
        } else {
            long value = number(next());
            check(Long.bitCount(value) == 1, "For roundups, the divisions has to be power of 2 ");
            Arrays.fill(settings.divisions, narrow(value));
        }
    }

    private void divisionList() {
        int[] divisions = settings.divisions;
        boolean first = true;
        int last = 0;
        while (!peek().equals("]")) {
            String interval = next();
            expect(":");
            long value = number(next());
            check(
                    value == 0 || Long.bitCount(value) == 1,
                    "For roundups, the divisions has to be power of 2 or 0 to disable roundup ");
            if (interval.equals(">")) {
                Arrays.fill(divisions, Math.min(last + 1, divisions.length), divisions.length, narrow(value));
            } else {
                long boundary = number(interval);
                check(Long.bitCount(boundary) == 1, "For roundups, the intervals have to be power of 2 ");
                int index = Math.min(Long.numberOfTrailingZeros(boundary), divisions.length - 1);
                if (first) {
                    Arrays.fill(divisions, 0, index, narrow(value));
                    first = false;
                }
                divisions[index] = narrow(value);
                last = index;
            }
            if (!peek().equals("]")) {
                expect(",");
            }
        }
        at++;
    }

    /** Divisions beyond 2^30 never apply: a request would have to be larger than 512 of them. */
    private static int narrow(long value) {
        return (int) Math.min(value, 1 << 30);
    }

    private boolean flag() {
        expect(":");
        String value = next();
        check(
                value.equals("True") || value.equals("False"),
                "Expected 'True' or 'False' at index " + (at - 1) + " in ConfigTokenizer but got '" + value + "'");
        return value.equals("True");
    }

    private long size() {
        expect(":");
        return number(next());
    }

    /** As std::stoull: what follows the digits does not count. */
    private long number(String token) {
        Matcher digits = LEADING_NUMBER.matcher(token);
        check(digits.lookingAt(), "expected a number but got '" + token + "'");
        try {
            return Long.parseLong(digits.group());
        } catch (NumberFormatException e) {
            throw error("number '" + token + "' is too large");
        }
    }

    private double decimal() {
        expect(":");
        String token = next();
        Matcher number = LEADING_DECIMAL.matcher(token);
        check(number.lookingAt(), "expected a number but got '" + token + "'");
        return Double.parseDouble(number.group());
    }

    private void expect(String separator) {
        String found = at < tokens.size() ? "'" + tokens.get(at) + "'" : "the end";
        check(found.equals("'" + separator + "'"), "expected '" + separator + "' but got " + found);
        at++;
    }

    private String peek() {
        check(at < tokens.size(), "Expected closing bracket ']' but reached the end");
        return tokens.get(at);
    }

    private String next() {
        check(at < tokens.size(), "a value is missing at the end");
        return tokens.get(at++);
    }

    private void check(boolean holds, String message) {
        if (!holds) {
            throw error(message);
        }
    }

    private IllegalArgumentException error(String message) {
        return new IllegalArgumentException("allocator settings '" + conf + "': " + message);
    }

    private void tokenize() {
        StringBuilder token = new StringBuilder();
        for (int i = 0; i < conf.length(); i++) {
            char c = conf.charAt(i);
            if (",:[]".indexOf(c) >= 0) {
                flush(token);
                tokens.add(String.valueOf(c));
            } else if (!Character.isWhitespace(c)) {
                token.append(c);
            }
        }
        flush(token);
    }

    private void flush(StringBuilder token) {
        if (token.length() > 0) {
            tokens.add(token.toString());
            token.setLength(0);
        }
    }
}
