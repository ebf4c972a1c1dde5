// What calls of the API take, beside what is asked for: the least of several averages.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void nothing() {}

static double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// The least average of a call of `body`, n calls at a time; what is left runs outside of the time.
template <typename Body> static double least(int n, Body body) {
    double best = 1e30;
    for (int round = 0; round < 30; round++) {
        double begin = now_us();
        for (int i = 0; i < n; i++)
            body();
        double us = (now_us() - begin) / n;
        best = us < best ? us : best;
        cudaDeviceSynchronize();
    }
    return best;
}

static void row(const char *name, double got, const char *unit, double want) {
    std::printf("%-44s %8.2f %s (asked for: %g)\n", name, got, unit, want);
}

static double graph_node_us(int nodes, int launches, cudaStream_t s) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
        return 0;
    for (int i = 0; i < nodes; i++)
        nothing<<<1, 32, 0, s>>>();
    if (cudaStreamEndCapture(s, &graph) != cudaSuccess ||
        cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
        return 0;
    double us = least(launches, [&] {
        cudaGraphLaunch(exec, s);
        cudaStreamSynchronize(s);
    });
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return us / nodes;
}

// Bandwidth of a copy within the device over that of memcpy, both of memory that was touched.
static double copy_ratio(size_t width, size_t height, size_t pitch) {
    std::vector<char> from(pitch * height, 1), to(pitch * height, 2);
    char *a, *b;
    cudaMalloc(&a, pitch * height);
    cudaMalloc(&b, pitch * height);
    cudaMemset(a, 1, pitch * height);
    cudaMemset(b, 1, pitch * height);
    double best_memcpy = least(1, [&] {
        for (size_t y = 0; y < height; y++)
            std::memcpy(&to[y * pitch], &from[y * pitch], width);
    });
    double best_copy = least(1, [&] {
        cudaMemcpy2D(b, pitch, a, pitch, width, height, cudaMemcpyDeviceToDevice);
        cudaDeviceSynchronize();
    });
    cudaFree(a);
    cudaFree(b);
    return best_memcpy / best_copy;
}

// The same for boxes: rows in slices, with room behind both.
static double box_ratio(size_t width, size_t height, size_t depth, size_t pitch, size_t rows) {
    size_t bytes = pitch * rows * depth;
    std::vector<char> from(bytes, 1), to(bytes, 2);
    char *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemset(a, 1, bytes);
    cudaMemset(b, 1, bytes);
    double best_memcpy = least(1, [&] {
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < height; y++)
                std::memcpy(&to[(z * rows + y) * pitch], &from[(z * rows + y) * pitch], width);
    });
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, pitch, width, rows);
    p.dstPtr = make_cudaPitchedPtr(b, pitch, width, rows);
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyDeviceToDevice;
    double best_copy = least(1, [&] {
        cudaMemcpy3D(&p);
        cudaDeviceSynchronize();
    });
    cudaFree(a);
    cudaFree(b);
    return best_memcpy / best_copy;
}

// Asynchronous copies of so many bytes, one after the other through a large piece of memory.
static double pieces_ratio(size_t bytes, cudaStream_t s) {
    const size_t all = 64 << 20, n = all / bytes;
    std::vector<char> from(all, 1), to(all, 2);
    char *a, *b;
    cudaMalloc(&a, all);
    cudaMalloc(&b, all);
    cudaMemset(a, 1, all);
    cudaMemset(b, 1, all);
    double best_memcpy = least(1, [&] {
        for (size_t i = 0; i < n; i++)
            std::memcpy(&to[i * bytes], &from[i * bytes], bytes);
        asm volatile("" : : "r"(to.data()) : "memory");
    });
    double best_copy = least(1, [&] {
        for (size_t i = 0; i < n; i++)
            cudaMemcpyAsync(b + i * bytes, a + i * bytes, bytes, cudaMemcpyDeviceToDevice, s);
        cudaStreamSynchronize(s);
    });
    cudaFree(a);
    cudaFree(b);
    return best_memcpy / best_copy;
}

int main() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    row("asynchronous launch", least(1000, [&] { nothing<<<1, 32, 0, s>>>(); }), "us", 1);
    row("launch and synchronise", least(200, [&] {
            nothing<<<1, 32, 0, s>>>();
            cudaStreamSynchronize(s);
        }), "us", 4);
    row("launch and synchronise, default stream", least(200, [&] {
            nothing<<<1, 32>>>();
            cudaDeviceSynchronize();
        }), "us", 4);
    row("graph of 100 kernels, a node", graph_node_us(100, 20, s), "us", 0.3);
    row("graph of 100,000 kernels, a node", graph_node_us(100000, 1, s), "us", 0.3);
    row("cudaMallocAsync and cudaFreeAsync", least(500, [&] {
            void *p;
            cudaMallocAsync(&p, 4096, s);
            cudaFreeAsync(p, s);
        }), "us", 0.5);
    row("copy of 64 MiB over memcpy", copy_ratio(64 << 20, 1, 64 << 20), "  ", 0.95);
    row("copy of 4096 rows of 16 KB over memcpy", copy_ratio(16000, 4096, 16384), "  ", 0.95);
    row("copy of 64 x 63 rows of 16 KB over memcpy", box_ratio(16000, 63, 64, 16384, 64), "  ", 0.95);
    row("copy of 128 x 500 rows of 1 KB over memcpy", box_ratio(1000, 500, 128, 1024, 512), "  ",
        0.95);
    for (size_t kb = 4; kb <= 64; kb *= 4) {
        char name[64];
        std::snprintf(name, sizeof name, "asynchronous copies of %zu KB over memcpy", kb);
        row(name, pieces_ratio(kb << 10, s), "  ", 0.95);
    }
    row("cudaEventRecord", least(1000, [&] {
            static cudaEvent_t e;
            if (!e)
                cudaEventCreate(&e);
            cudaEventRecord(e, s);
        }), "us", 1);
    return cudaGetLastError() != cudaSuccess;
}
