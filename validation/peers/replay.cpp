// Does the operations of a stream on PyTorch's own caching allocator, again and again, and prints how many millions a
// second of processor time it does (the median of slices of a tenth of a second, and the best of them), and the most bytes
// that it reserved. allocator.py runs it.
//
//   replay STREAM SECONDS
//
// A stream is text, a line an operation: "BYTES SLOT"; 0 bytes free what the slot holds.
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

namespace {

struct Operation {
    size_t bytes;
    size_t slot;
};

double processorSeconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: replay STREAM SECONDS\n");
        return 2;
    }
    std::ifstream in(argv[1]);
    std::vector<Operation> stream;
    size_t slots = 0;
    for (Operation next; in >> next.bytes >> next.slot;) {
        stream.push_back(next);
        slots = std::max(slots, next.slot + 1);
    }
    std::vector<void*> held(slots);
    auto* allocator = c10::cuda::CUDACachingAllocator::get();
    allocator->init(1);
    std::vector<double> rates;
    for (double end = processorSeconds() + std::atof(argv[2]), now = 0; now < end;) {
        double begin = processorSeconds();
        size_t operations = 0;
        do {
            for (const Operation& next : stream) {
                if (next.bytes > 0) {
                    held[next.slot] = allocator->raw_alloc(next.bytes);
                } else {
                    allocator->raw_delete(held[next.slot]);
                }
            }
            operations += stream.size();
            now = processorSeconds();
        } while (now < begin + 0.1);
        rates.push_back(operations / (now - begin));
    }
    std::sort(rates.begin(), rates.end());
    auto stats = allocator->getDeviceStats(0);
    std::printf("%.2f %.2f %lld\n", rates[rates.size() / 2] / 1e6, rates.back() / 1e6,
        static_cast<long long>(stats.reserved_bytes[0].peak));
}
