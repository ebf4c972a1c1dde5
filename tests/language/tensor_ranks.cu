// Tensor copies of every rank (10.29.2): boxes that lie inside and ones that reach over the edges,
// both ways, by the functions of cuda::device::experimental.
#include <cuda/barrier>

#include "tensor_boxes.h"

namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Sizes of the tensor and of the box, innermost first.
constexpr int sizes[5] = {24, 6, 5, 4, 3}, box[5] = {8, 3, 2, 3, 2};

__host__ __device__ constexpr int product(const int *of, int rank) {
    return rank ? of[rank - 1] * product(of, rank - 1) : 1;
}

struct place {
    int at[5];
};

template <int rank> __device__ void fetch(void *to, const CUtensorMap *map, place p, barrier &bar) {
    const int *at = p.at;
    if constexpr (rank == 1)
        cde::cp_async_bulk_tensor_1d_global_to_shared(to, map, at[0], bar);
    else if constexpr (rank == 2)
        cde::cp_async_bulk_tensor_2d_global_to_shared(to, map, at[0], at[1], bar);
    else if constexpr (rank == 3)
        cde::cp_async_bulk_tensor_3d_global_to_shared(to, map, at[0], at[1], at[2], bar);
    else if constexpr (rank == 4)
        cde::cp_async_bulk_tensor_4d_global_to_shared(to, map, at[0], at[1], at[2], at[3], bar);
    else
        cde::cp_async_bulk_tensor_5d_global_to_shared(to, map, at[0], at[1], at[2], at[3], at[4],
                                                      bar);
}

template <int rank> __device__ void store(const CUtensorMap *map, place p, const void *from) {
    const int *at = p.at;
    if constexpr (rank == 1)
        cde::cp_async_bulk_tensor_1d_shared_to_global(map, at[0], from);
    else if constexpr (rank == 2)
        cde::cp_async_bulk_tensor_2d_shared_to_global(map, at[0], at[1], from);
    else if constexpr (rank == 3)
        cde::cp_async_bulk_tensor_3d_shared_to_global(map, at[0], at[1], at[2], from);
    else if constexpr (rank == 4)
        cde::cp_async_bulk_tensor_4d_shared_to_global(map, at[0], at[1], at[2], at[3], from);
    else
        cde::cp_async_bulk_tensor_5d_shared_to_global(map, at[0], at[1], at[2], at[3], at[4], from);
}

// Notes what the box holds, and stores 1000 more everywhere, unless it begins outside.
template <int rank>
__global__ void pass_through(const __grid_constant__ CUtensorMap map, place p, int *seen) {
    constexpr int n = product(box, rank);
    __shared__ alignas(128) int tile[n];
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        fetch<rank>(tile, &map, p, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        seen[i] = tile[i];
        tile[i] += 1000;
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0 && p.at[0] >= 0) {
        store<rank>(&map, p, tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// The element's index in the tensor, or -1 outside; i: its index in the box.
static int element(int rank, const place &p, int i) {
    int index = 0, stride = 1;
    for (int d = 0; d < rank; d++) {
        int x = p.at[d] + i % box[d];
        if (x < 0 || x >= sizes[d])
            return -1;
        index += x * stride;
        stride *= sizes[d];
        i /= box[d];
    }
    return index;
}

template <int rank> static void check() {
    constexpr int n = product(sizes, rank), in_box = product(box, rank);
    int *a = shared_array<int>(n), *seen = shared_array<int>(in_box), expected[n];
    tensor t{rank, sizeof(int), CU_TENSOR_MAP_DATA_TYPE_INT32, {}, {}};
    for (int d = 0; d < rank; d++) {
        t.sizes[d] = (cuuint64_t)sizes[d];
        t.box[d] = (cuuint32_t)box[d];
    }
    CUtensorMap map = tiled_map(t, a);
    for (int turn = 0; turn < 4; turn++) {
        place p; // whose innermost coordinate is at a multiple of 16 bytes
        for (int d = 0; d < 5; d++)
            p.at[d] = turn == 0   ? 0
                      : turn == 1 ? sizes[d] - box[d] + (d ? 1 : 4)
                      : turn == 2 ? (d ? -1 : -4)
                                  : sizes[d] / 2 - d % 2;
        for (int i = 0; i < n; i++)
            expected[i] = a[i] = 7 * i + turn;
        pass_through<rank><<<1, 32>>>(map, p, seen);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < in_box; i++) {
            int e = element(rank, p, i);
            CHECK(seen[i] == (e < 0 ? 0 : expected[e]));
        }
        for (int i = 0; i < in_box && p.at[0] >= 0; i++)
            if (int e = element(rank, p, i); e >= 0)
                expected[e] += 1000;
        for (int i = 0; i < n; i++)
            CHECK(a[i] == expected[i]);
    }
}

int main() {
    check<1>();
    check<2>();
    check<3>();
    check<4>();
    check<5>();
    return failures != 0;
}
