// A warp a vertex of the frontier; vertices marked in masks, all of them visited at each level;
// found vertices gathered in shared memory before they are appended.
#include "bench.h"

enum { N = 1 << 18, BLOCKS = N / 256 };

// ---- a warp a vertex ------------------------------------------------------------------------

__global__ void warp_level(const int *row, const int *column, int *distance, const int *queue,
                           const int *size, int *next, int *next_size, int level) {
    int warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x & 31, count = *size;
    for (int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; w < count; w += warps) {
        int u = queue[w];
        for (int e = row[u] + lane; e < row[u + 1]; e += 32) {
            int v = column[e];
            if (atomicCAS(&distance[v], -1, level) < 0)
                next[atomicAdd(next_size, 1)] = v;
        }
    }
}

__global__ void start_at_zero(int *distance, int *queue, int *sizes) {
    *distance = *queue = 0;
    sizes[0] = 1;
    sizes[1] = 0;
}

// ---- masks ----------------------------------------------------------------------------------

__global__ void mask_visit(const int *row, const int *column, bool *frontier, bool *updating,
                           const bool *visited, int *cost, int nodes) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < nodes && frontier[tid]) {
        frontier[tid] = false;
        for (int i = row[tid]; i < row[tid + 1]; i++) {
            int id = column[i];
            if (!visited[id]) {
                cost[id] = cost[tid] + 1;
                updating[id] = true;
            }
        }
    }
}

__global__ void mask_update(bool *frontier, bool *updating, bool *visited, int *more, int nodes) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < nodes && updating[tid]) {
        frontier[tid] = visited[tid] = true;
        *more = 1;
        updating[tid] = false;
    }
}

__global__ void mask_start(bool *frontier, bool *updating, bool *visited, int *cost) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    frontier[i] = visited[i] = i == 0;
    updating[i] = false;
    cost[i] = i == 0 ? 0 : -1;
}

// ---- gathered in shared memory --------------------------------------------------------------

__global__ void shared_level(const int *row, const int *column, int *label, const int *current,
                             int current_size, int *next, int *next_size, int level) {
    const int capacity = 2048;
    __shared__ int found[capacity], found_size, place;
    if (threadIdx.x == 0)
        found_size = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < current_size) {
        int vertex = current[i];
        for (int edge = row[vertex]; edge < row[vertex + 1]; ++edge) {
            int neighbour = column[edge];
            if (label[neighbour] == -1 && atomicCAS(&label[neighbour], -1, level) == -1) {
                int at = atomicAdd(&found_size, 1);
                if (at < capacity)
                    found[at] = neighbour;
                else
                    next[atomicAdd(next_size, 1)] = neighbour;
            }
        }
    }
    __syncthreads();
    int size = min(found_size, capacity);
    if (threadIdx.x == 0)
        place = atomicAdd(next_size, size);
    __syncthreads();
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        next[place + k] = found[k];
}

static int fetch(const int *value) {
    int v;
    CHECK(cudaMemcpy(&v, value, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}

VARIANTS(bfs, "BFS") {
    const int *row = row_buffer<int>(0).dev, *column = row_buffer<int>(1).dev;
    int *distance = row_buffer<int>(2).dev, *front = row_buffer<int>(3).dev;
    int *next = row_buffer<int>(4).dev, *counts = row_buffer<int>(5).dev;
    bool *frontier = scratch<bool>(3 * N), *updating = frontier + N, *visited = updating + N;
    return {
        [=] {
            CHECK(cudaMemsetAsync(distance, -1, N * sizeof(int)));
            start_at_zero<<<1, 1>>>(distance, front, counts);
            int *from = front, *to = next, *size = counts, *next_size = counts + 1;
            for (int level = 1, count = 1; count > 0; level++) {
                warp_level<<<256, 256>>>(row, column, distance, from, size, to, next_size, level);
                CHECK(cudaMemsetAsync(size, 0, sizeof(int)));
                std::swap(from, to);
                std::swap(size, next_size);
                count = fetch(size);
            }
        },
        [=] {
            mask_start<<<BLOCKS, 256>>>(frontier, updating, visited, distance);
            do {
                CHECK(cudaMemsetAsync(counts, 0, sizeof(int)));
                mask_visit<<<BLOCKS, 256>>>(row, column, frontier, updating, visited, distance, N);
                mask_update<<<BLOCKS, 256>>>(frontier, updating, visited, counts, N);
            } while (fetch(counts));
        },
        [=] {
            CHECK(cudaMemsetAsync(distance, -1, N * sizeof(int)));
            start_at_zero<<<1, 1>>>(distance, front, counts);
            int *from = front, *to = next;
            for (int level = 1, count = 1; count > 0; level++) {
                CHECK(cudaMemsetAsync(counts, 0, sizeof(int)));
                shared_level<<<(count + 127) / 128, 128>>>(row, column, distance, from, count, to,
                                                           counts, level);
                count = fetch(counts);
                std::swap(from, to);
            }
        },
    };
}
