#include "bench.h"

// Breadth-first search, level by level, over a graph in CSR form; degrees from 1 to 31.
extern "C" void native_bfs(const int *row, const int *column, int *distance, int *frontier,
                           int *next, int n);

__global__ void bfs_start(int *distance, int *frontier, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        distance[i] = i == 0 ? 0 : -1;
    if (i == 0) {
        frontier[0] = 0;
        counts[0] = 1;
        counts[1] = 0;
    }
}

__global__ void bfs_level(const int *row, const int *column, int *distance, const int *frontier,
                          int count, int *next, int *next_count, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int u = frontier[i], end = row[u + 1];
    for (int e = row[u]; e < end; e++) {
        int v = column[e];
        if (distance[v] < 0 && atomicCAS(&distance[v], -1, level) == -1)
            next[atomicAdd(next_count, 1)] = v;
    }
}

BENCH(bfs) {
    int n = 1 << 18;
    unsigned seed = 1;
    std::vector<int> ends(1, 0);
    for (int i = 0; i < n; i++)
        ends.push_back(ends.back() + 1 + bench_random(&seed) % 31);
    int edges = ends.back();
    Buffer<int> row(n + 1), column(edges), distance(n), front(n), next(n), counts(2);
    for (int i = 0; i <= n; i++)
        row.host[i] = ends[i];
    for (int e = 0; e < edges; e++)
        column.host[e] = bench_random(&seed) % n;
    row.upload();
    column.upload();
    Row r("BFS", edges, "Gedge/s");
    r.kudzu = [&] {
        int *from = front.dev, *to = next.dev, count = 1, blocks = (n + 255) / 256;
        bfs_start<<<blocks, 256>>>(distance.dev, from, counts.dev, n);
        for (int level = 1; count > 0; level++) {
            bfs_level<<<(count + 255) / 256, 256>>>(row.dev, column.dev, distance.dev, from, count,
                                                    to, counts.dev + 1, level);
            CHECK(cudaMemcpy(&count, counts.dev + 1, 4, cudaMemcpyDeviceToHost));
            CHECK(cudaMemsetAsync(counts.dev + 1, 0, 4));
            std::swap(from, to);
        }
    };
    r.native = [&] { native_bfs(row.host, column.host, distance.host, front.host, next.host, n); };
    r.pocl = [&] {
        Buffer<int> *from = &front, *to = &next;
        int blocks = (n + 255) / 256, state[2] = {0, 1};
        pocl("bfs_start", blocks, 256, distance, front, counts, n);
        for (int level = 1; state[1] > 0; level++) {
            pocl("bfs_level", (state[1] + 255) / 256, 256, row, column, distance, *from, state[1],
                 *to, counts, level);
            opencl_read(state, counts.cl, 8);
            int none[2] = {0, 0};
            opencl_write(counts.cl, none, 8);
            std::swap(from, to);
        }
    };
    r.outputs = {&distance};
    measure(r);
}
