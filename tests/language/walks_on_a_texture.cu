// A simulation as a user would write it: random walkers (cuRAND's Philox) climb a landscape that a
// texture interpolates (guide 10.8), count where they end (10.14), and a kernel that finds crowded
// cells looks at each of these with a kernel of its own (13).
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <curand_kernel.h>

namespace cg = cooperative_groups;

constexpr int cells = 16, walkers = 512, steps = 12, crowd = 3;

__device__ unsigned visits[cells][cells];
__managed__ int looked_at;

struct walker {
    float x, y, height;
};

__global__ void walk(cudaTextureObject_t landscape, walker *ends, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t random;
    curand_init(seed, i, 0, &random);
    float4 u = curand_uniform4(&random);
    walker w = {u.x * cells, u.y * cells, 0};
    w.height = tex2D<float>(landscape, w.x, w.y);
    for (int k = 0; k < steps; k++) {
        u = curand_uniform4(&random);
        float x = w.x + 2 * u.x - 1, y = w.y + 2 * u.y - 1;
        float height = tex2D<float>(landscape, x, y);
        if (height >= w.height || u.z < 0.125f)
            w = {x, y, height};
    }
    ends[i] = w;
    int column = min(max(int(w.x), 0), cells - 1), row = min(max(int(w.y), 0), cells - 1);
    atomicAdd(&visits[row][column], 1);
}

// The walkers of one cell, in any order; how many there are is known.
__global__ void gather(const walker *ends, int cell, float *highest, int *found) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    auto block = cg::this_thread_block();
    cg::invoke_one(block, [] { new (&count) cuda::atomic<int, cuda::thread_scope_block>(0); });
    block.sync();
    for (int i = block.thread_rank(); i < walkers; i += block.size()) {
        int column = min(max(int(ends[i].x), 0), cells - 1);
        int row = min(max(int(ends[i].y), 0), cells - 1);
        if (row * cells + column == cell) {
            count.fetch_add(1, cuda::memory_order_relaxed);
            // Heights are positive: their order is that of their bits.
            atomicMax((int *)highest, __float_as_int(ends[i].height));
        }
    }
    block.sync();
    if (block.thread_rank() == 0)
        *found = count.load();
}

// One warp: gives each crowded cell a number of its own and launches a kernel for it.
__global__ void find_crowds(const walker *ends, int *numbers, float *highest, int *found) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int before = 0;
    for (int first = 0; first < cells * cells; first += warp.size()) {
        int cell = first + warp.thread_rank();
        bool crowded = visits[cell / cells][cell % cells] >= crowd;
        int mine = before + cg::exclusive_scan(warp, int(crowded));
        if (crowded) {
            numbers[cell] = mine;
            cuda::atomic_ref<int, cuda::thread_scope_device>(looked_at).fetch_add(1);
            gather<<<1, 64, 0, cudaStreamFireAndForget>>>(ends, cell, highest + mine, found + mine);
        }
        before += __popc(warp.ballot(crowded));
    }
}

// ---- The same on the host -----------------------------------------------------------------

static float heights[cells][cells];

static float at(int row, int column) {
    row = row < 0 ? 0 : row < cells ? row : cells - 1;
    column = column < 0 ? 0 : column < cells ? column : cells - 1;
    return heights[row][column];
}

// Between the centres of texels, with weights of 8 fractional bits (guide 19.2).
static float interpolated(float x, float y) {
    float column = floorf(x - 0.5f), row = floorf(y - 0.5f);
    float a = rintf((x - 0.5f - column) * 256) / 256, b = rintf((y - 0.5f - row) * 256) / 256;
    int i = int(column), j = int(row);
    return (1 - a) * (1 - b) * at(j, i) + a * (1 - b) * at(j, i + 1) + (1 - a) * b * at(j + 1, i) +
           a * b * at(j + 1, i + 1);
}

static cudaTextureObject_t make_landscape() {
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++)
            heights[j][i] = 1 + ((i * 7 + j * 5) % 11) + (i - 8) * (j - 3) % 5 * 0.25f;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, cells, cells));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, heights, sizeof heights[0], sizeof heights[0], cells,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime library
    auto ends = shared_array<walker>(walkers);
    auto numbers = shared_array<int>(cells * cells), found = shared_array<int>(cells * cells);
    auto highest = shared_array<float>(cells * cells);
    cudaTextureObject_t landscape = make_landscape();
    walk<<<walkers / 128, 128>>>(landscape, ends, 2024);
    find_crowds<<<1, 32>>>(ends, numbers, highest, found);
    CUDA(cudaDeviceSynchronize());

    int counts[cells * cells] = {}, crowds = 0;
    float best[cells * cells] = {};
    for (int i = 0; i < walkers; i++) {
        const walker &w = ends[i];
        int column = int(w.x), row = int(w.y);
        column = column < 0 ? 0 : column < cells ? column : cells - 1;
        row = row < 0 ? 0 : row < cells ? row : cells - 1;
        counts[row * cells + column]++;
        best[row * cells + column] = fmaxf(best[row * cells + column], w.height);
        CHECK(fabsf(w.height - interpolated(w.x, w.y)) < 0.1f);
    }
    unsigned seen[cells][cells];
    CUDA(cudaMemcpyFromSymbol(seen, visits, sizeof visits));
    for (int c = 0; c < cells * cells; c++) {
        CHECK(seen[c / cells][c % cells] == (unsigned)counts[c]);
        if (counts[c] < crowd)
            continue;
        CHECK(numbers[c] == crowds);
        CHECK(found[crowds] == counts[c] && highest[crowds] == best[c]);
        crowds++;
    }
    CHECK(crowds > 10 && looked_at == crowds);
    return failures;
}
