package dev.headroom.allocator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rules of PyTorch's allocator as plainly as possible: one list of all blocks, searched from end to end, and
 * statistics counted anew whenever they are asked for. It is slow; the fast allocator must do the same.
 */
final class ReferenceAllocator {
    /** A range of memory of a segment. */
    static final class Block {
        final Area area;
        long at;
        long size;
        long requested;
        long cachedAt;
        boolean used;
        boolean mapped = true;

        Block(Area area, long at, long size) {
            this.area = area;
            this.at = at;
            this.size = size;
        }

        boolean free() {
            return !used && mapped;
        }
    }

    /** A segment, or the addresses of an expandable one. */
    static final class Area {
        final int stream;
        final boolean small;
        final int age;
        final long granule;
        final List<Block> blocks = new ArrayList<>();

        Area(int stream, boolean small, int age, long granule) {
            this.stream = stream;
            this.small = small;
            this.age = age;
            this.granule = granule;
        }

        boolean expandable() {
            return granule > 0;
        }
    }

    final List<Area> areas = new ArrayList<>();
    private final AllocatorSettings settings;
    private final SimulatedDeviceMemory memory;
    private final Map<Boolean, Long> searches = new TreeMap<>(Map.of(true, 0L, false, 0L));
    private int ages;
    long reserved;
    long maxAllocated;
    long maxReserved;
    int retries;
    int ooms;

    ReferenceAllocator(AllocatorSettings settings, SimulatedDeviceMemory memory) {
        this.settings = settings;
        this.memory = memory;
    }

    private long allowed() {
        return settings.allowedBytes(memory.total());
    }

    private boolean collects() {
        return allowed() < Long.MAX_VALUE && settings.garbageCollectionThreshold() > 0;
    }

    /** Null when out of memory. */
    Block allocate(long bytes, int stream) {
        long size = settings.roundSize(bytes);
        boolean small = size <= 1 << 20;
        Block block = find(small, stream, size);
        if (block == null) {
            if (collects()) {
                collect();
            }
            long segment = settings.segmentSize(size);
            block = fresh(small, stream, size, segment);
            if (block == null && releaseOversize(small, stream, size)) {
                block = fresh(small, stream, size, segment);
            }
            if (block == null) {
                emptyCache();
                retries++;
                block = fresh(small, stream, size, segment);
            }
            if (block == null) {
                ooms++;
                return null;
            }
        }
        long rest = block.size - size;
        boolean split =
                small || settings.expandableSegments() ? rest >= 512 : size < settings.maxSplitSize() && rest > 1 << 20;
        if (split) {
            Block tail = new Block(block.area, block.at + size, rest);
            tail.cachedAt = searches.get(small);
            List<Block> blocks = block.area.blocks;
            blocks.add(blocks.indexOf(block) + 1, tail);
            block.size = size;
        }
        block.used = true;
        block.requested = bytes;
        maxAllocated = Math.max(maxAllocated, sum(b -> b.used));
        maxReserved = Math.max(maxReserved, reserved);
        return block;
    }

    void free(Block block) {
        block.used = false;
        block.cachedAt = searches.get(block.area.small);
        join(block);
    }

    void emptyCache() {
        releaseAll(false);
        releaseAll(true);
    }

    long sum(java.util.function.Predicate<Block> which) {
        return all().stream().filter(which).mapToLong(b -> b.size).sum();
    }

    long inactiveSplit() {
        return sum(b -> b.free() && !b.area.expandable() && b.area.blocks.size() > 1);
    }

    private List<Block> all() {
        List<Block> blocks = new ArrayList<>();
        areas.forEach(a -> blocks.addAll(a.blocks));
        return blocks;
    }

    /** Free blocks of a pool and stream in search order. */
    private List<Block> cached(boolean small, int stream) {
        List<Block> blocks = all();
        blocks.removeIf(b -> !b.free() || b.area.small != small || b.area.stream != stream);
        blocks.sort(Comparator.<Block>comparingLong(b -> b.size)
                .thenComparingInt(b -> b.area.age)
                .thenComparingLong(b -> b.at));
        return blocks;
    }

    private Block find(boolean small, int stream, long size) {
        if (collects()) {
            searches.merge(small, 1L, Long::sum);
        }
        List<Block> fit = cached(small, stream);
        fit.removeIf(b -> b.size < size);
        if (fit.isEmpty()) {
            return null;
        }
        int i = 0;
        while (settings.expandableSegments() && i + 1 < fit.size() && growable(fit.get(i + 1)) < growable(fit.get(i))) {
            i++;
        }
        Block best = fit.get(i);
        boolean tooLarge = size < settings.maxSplitSize()
                ? best.size >= settings.maxSplitSize()
                : best.size >= size + settings.maxNonSplitRounding();
        return tooLarge ? null : best;
    }

    private static long growable(Block block) {
        List<Block> blocks = block.area.blocks;
        int next = blocks.indexOf(block) + 1;
        return block.size + (next < blocks.size() && !blocks.get(next).mapped ? blocks.get(next).size : 0);
    }

    private Block fresh(boolean small, int stream, long size, long segment) {
        if (reserved + segment > allowed()) {
            return null;
        }
        if (settings.expandableSegments()) {
            return grow(small, stream, size);
        }
        long at = memory.allocate(segment);
        if (at == DeviceMemory.NONE) {
            return null;
        }
        Area area = new Area(stream, small, settings.profile().olderSegmentFirst() ? ages++ : 0, 0);
        area.blocks.add(new Block(area, at, segment));
        area.blocks.get(0).cachedAt = searches.get(small);
        areas.add(area);
        reserved += segment;
        return area.blocks.get(0);
    }

    private Block grow(boolean small, int stream, long size) {
        for (Area area : areas.stream()
                .sorted(Comparator.comparingLong(a -> a.blocks.get(0).at))
                .toList()) {
            if (area.small != small || area.stream != stream) {
                continue;
            }
            for (int i = 0; i < area.blocks.size(); i++) {
                if (area.blocks.get(i).mapped) {
                    continue;
                }
                int from = i > 0 && area.blocks.get(i - 1).free() ? i - 1 : i;
                long room = 0;
                for (int j = from; j < area.blocks.size() && !area.blocks.get(j).used; j++) {
                    room += area.blocks.get(j).size;
                }
                if (room >= size) {
                    return mapped(area, from, size);
                }
            }
        }
        long granule = small ? 2L << 20 : settings.largeSegmentSize();
        long reserve = (memory.total() / 8 * 9 + granule - 1) / granule * granule;
        Area area = new Area(stream, small, settings.profile().olderSegmentFirst() ? ages++ : 0, granule);
        Block all = new Block(area, memory.reserveAddresses(reserve), reserve);
        all.mapped = false;
        area.blocks.add(all);
        areas.add(area);
        return mapped(area, 0, size);
    }

    /**
     * Maps unmapped blocks from an index on until the free block there is large enough. What was mapped stays mapped
     * even if it is not enough.
     */
    private Block mapped(Area area, int index, long size) {
        while (true) {
            Block block = area.blocks.get(index);
            if (block.mapped && block.size >= size) {
                return block;
            }
            Block target = block.mapped ? area.blocks.get(index + 1) : block;
            long wanted = Math.min(block.mapped ? size - block.size : size, target.size);
            long bytes = (wanted + area.granule - 1) / area.granule * area.granule;
            if (!memory.map(target.at, bytes, area.granule)) {
                return null;
            }
            reserved += bytes;
            maxReserved = Math.max(maxReserved, reserved);
            if (bytes < target.size) {
                Block rest = new Block(area, target.at + bytes, target.size - bytes);
                rest.mapped = false;
                area.blocks.add(area.blocks.indexOf(target) + 1, rest);
                target.size = bytes;
            }
            target.mapped = true;
            target.cachedAt = searches.get(area.small);
            Block joined = join(target);
            index = area.blocks.indexOf(joined);
        }
    }

    private Block join(Block block) {
        List<Block> blocks = block.area.blocks;
        int i = blocks.indexOf(block);
        if (i + 1 < blocks.size() && !blocks.get(i + 1).used && blocks.get(i + 1).mapped == block.mapped) {
            block.size += blocks.remove(i + 1).size;
        }
        if (i > 0 && !blocks.get(i - 1).used && blocks.get(i - 1).mapped == block.mapped) {
            Block before = blocks.remove(i - 1);
            block.at = before.at;
            block.size += before.size;
        }
        return block;
    }

    private void release(Area area) {
        memory.free(area.blocks.get(0).at, area.blocks.get(0).size);
        reserved -= area.blocks.get(0).size;
        areas.remove(area);
    }

    private void releaseAll(boolean small) {
        for (Area area : List.copyOf(areas)) {
            if (area.small != small) {
                continue;
            }
            if (!area.expandable()) {
                if (area.blocks.size() == 1 && area.blocks.get(0).free()) {
                    release(area);
                }
                continue;
            }
            List<Block> cached = area.blocks.stream().filter(Block::free).toList();
            cached.forEach(this::unmap);
            // Addresses that never got memory, because their first mapping failed, are kept.
            if (!cached.isEmpty() && area.blocks.size() == 1 && !area.blocks.get(0).mapped) {
                memory.releaseAddresses(area.blocks.get(0).at, area.blocks.get(0).size);
                areas.remove(area);
            }
        }
    }

    private void unmap(Block block) {
        Area area = block.area;
        long base = area.blocks.get(0).at;
        long from = base + (block.at - base + area.granule - 1) / area.granule * area.granule;
        long to = base + (block.at + block.size - base) / area.granule * area.granule;
        if (from >= to) {
            return;
        }
        memory.unmap(from, to - from, area.granule);
        reserved -= to - from;
        int i = area.blocks.indexOf(block);
        if (to < block.at + block.size) {
            Block after = new Block(area, to, block.at + block.size - to);
            after.cachedAt = searches.get(area.small);
            area.blocks.add(i + 1, after);
        }
        if (from > block.at) {
            Block before = new Block(area, block.at, from - block.at);
            before.cachedAt = searches.get(area.small);
            area.blocks.add(i, before);
        }
        block.at = from;
        block.size = to - from;
        block.mapped = false;
        join(block);
    }

    private boolean releaseOversize(boolean small, int stream, long size) {
        if (settings.maxSplitSize() == Long.MAX_VALUE) {
            return false;
        }
        long wanted = Math.max(size, settings.maxSplitSize());
        List<Block> blocks = cached(small, stream);
        List<Block> larger = blocks.stream().filter(b -> b.size >= wanted).toList();
        if (!larger.isEmpty() && !larger.get(0).area.expandable()) {
            release(larger.get(0).area);
            return true;
        }
        long released = 0;
        for (int i = blocks.size() - larger.size() - 1; i >= 0 && released < wanted; i--) {
            if (blocks.get(i).size < settings.maxSplitSize()) {
                break;
            }
            if (!blocks.get(i).area.expandable()) {
                released += blocks.get(i).size;
                release(blocks.get(i).area);
            }
        }
        return released >= wanted;
    }

    private void collect() {
        long threshold = (long) (settings.garbageCollectionThreshold() * allowed());
        long target = reserved - threshold;
        long got = 0;
        while (target > 0 && got < target) {
            List<Block> idle = all();
            idle.removeIf(b -> !b.free() || b.area.small || b.area.blocks.size() > 1);
            if (idle.isEmpty()) {
                return;
            }
            double mean = idle.stream()
                            .mapToLong(b -> searches.get(false) - b.cachedAt)
                            .sum()
                    / (double) idle.size();
            idle.removeIf(b -> b.area.expandable() || searches.get(false) - b.cachedAt < mean);
            if (idle.isEmpty()) {
                return;
            }
            for (Block block : idle) {
                got += block.size;
                release(block.area);
            }
        }
    }
}
