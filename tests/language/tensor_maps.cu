// Tensor maps (guide 10.29.2, 10.30): a tile is fetched, changed and stored through a map that is a
// parameter, a constant and a copy in global memory; a map that a kernel makes out of a template.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>

#include "check.h"

namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { WIDTH = 40, HEIGHT = 24, TILE_WIDTH = 16, TILE_HEIGHT = 8 };

static PFN_cuTensorMapEncodeTiled_v12000 encode_function() {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault,
                                          &status));
    CHECK(status == cudaDriverEntryPointSuccess);
    return (PFN_cuTensorMapEncodeTiled_v12000)f;
}

static CUtensorMap map_of(CUtensorMapDataType type, unsigned rank, void *address,
                          const cuuint64_t *sizes, const cuuint64_t *strides,
                          const cuuint32_t *box) {
    const cuuint32_t steps[] = {1, 1};
    CUtensorMap map{};
    CUresult r =
        encode_function()(&map, type, rank, address, sizes, strides, box, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK(r == CUDA_SUCCESS);
    return map;
}

__device__ void add_to_tile(const CUtensorMap *map, int x, int y) {
    __shared__ alignas(128) int tile[TILE_HEIGHT][TILE_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int row = 0; row < TILE_HEIGHT; row++)
        tile[row][threadIdx.x] += 1000;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(map, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
        (&bar)->~barrier();
    }
}

__constant__ CUtensorMap constant_map;
__device__ CUtensorMap global_map;

__global__ void through_parameter(const __grid_constant__ CUtensorMap map, int x, int y) {
    add_to_tile(&map, x, y);
}
__global__ void through_constant(int x, int y) {
    add_to_tile(&constant_map, x, y);
}
__global__ void through_memory(int x, int y) {
    ptx::n32_t<128> bytes;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, &global_map, bytes);
    add_to_tile(&global_map, x, y);
}

static void check_tiles() {
    int *a = shared_array<int>(WIDTH * HEIGHT);
    const cuuint64_t sizes[] = {WIDTH, HEIGHT}, strides[] = {WIDTH * sizeof(int)};
    const cuuint32_t box[] = {TILE_WIDTH, TILE_HEIGHT};
    CUtensorMap map = map_of(CU_TENSOR_MAP_DATA_TYPE_INT32, 2, a, sizes, strides, box);
    CUDA(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    CUDA(cudaMemcpyToSymbol(global_map, &map, sizeof map));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        a[i] = i;
    through_parameter<<<1, TILE_WIDTH>>>(map, 0, 0);
    through_constant<<<1, TILE_WIDTH>>>(16, 8);
    through_memory<<<1, TILE_WIDTH>>>(32, 20); // the tile ends outside
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool inside = (x < 16 && y < 8) || (x >= 16 && x < 32 && y >= 8 && y < 16) ||
                          (x >= 32 && y >= 20);
            CHECK(a[y * WIDTH + x] == y * WIDTH + x + (inside ? 1000 : 0));
        }
}

// ---- A map that a kernel makes ----------------------------------------------------------------

struct tensormap_params {
    void *global_address;
    int rank;
    uint32_t box_dim[5];
    uint64_t global_dim[5];
    size_t global_stride[4];
    uint32_t element_stride[5];
};

__launch_bounds__(32) __global__
    void encode_tensor_map(const __grid_constant__ CUtensorMap template_tensor_map,
                           tensormap_params p, CUtensorMap *out) {
    __shared__ alignas(128) CUtensorMap made;
    if (threadIdx.x == 0) {
        made = template_tensor_map;
        const auto space = ptx::space_shared;
        ptx::tensormap_replace_global_address(space, &made, p.global_address);
        ptx::tensormap_replace_rank(space, &made, p.rank - 1);
        ptx::tensormap_replace_box_dim(space, &made, ptx::n32_t<0>{}, p.box_dim[0]);
        ptx::tensormap_replace_box_dim(space, &made, ptx::n32_t<1>{}, p.box_dim[1]);
        ptx::tensormap_replace_global_dim(space, &made, ptx::n32_t<0>{}, (uint32_t)p.global_dim[0]);
        ptx::tensormap_replace_global_dim(space, &made, ptx::n32_t<1>{}, (uint32_t)p.global_dim[1]);
        ptx::tensormap_replace_global_stride(space, &made, ptx::n32_t<0>{}, p.global_stride[0]);
        ptx::tensormap_replace_element_size(space, &made, ptx::n32_t<0>{}, p.element_stride[0]);
        ptx::tensormap_replace_element_size(space, &made, ptx::n32_t<1>{}, p.element_stride[1]);
        auto zero = ptx::n32_t<0>{}; // bytes, not interleaved, no swizzle, zeros outside
        ptx::tensormap_replace_elemtype(space, &made, zero);
        ptx::tensormap_replace_interleave_layout(space, &made, zero);
        ptx::tensormap_replace_swizzle_mode(space, &made, zero);
        ptx::tensormap_replace_fill_mode(space, &made, zero);
    }
    __syncwarp();
    ptx::n32_t<128> bytes;
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, out, &made, bytes);
}

__global__ void consume_tensor_map(CUtensorMap *map, unsigned char *out) {
    ptx::n32_t<128> bytes;
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, bytes);
    __shared__ uint64_t bar;
    __shared__ alignas(128) unsigned char tile[4][128];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, {0, 0}, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 128; i++)
            out[row * 128 + i] = tile[row][i];
}

static void check_made_map(const CUtensorMap &base) {
    unsigned char *from = shared_array<unsigned char>(8 * 256);
    unsigned char *to = shared_array<unsigned char>(4 * 128);
    CUtensorMap *map;
    CUDA(cudaMalloc(&map, sizeof *map));
    for (int i = 0; i < 8 * 256; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    tensormap_params p{};
    p.global_address = from;
    p.rank = 2;
    p.box_dim[0] = 128;
    p.box_dim[1] = 4;
    p.global_dim[0] = 256;
    p.global_dim[1] = 8;
    p.global_stride[0] = 256;
    p.element_stride[0] = p.element_stride[1] = 1;
    encode_tensor_map<<<1, 32>>>(base, p, map);
    consume_tensor_map<<<1, 1>>>(map, to);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 128; x++)
            CHECK(to[y * 128 + x] == from[y * 256 + x]);
}

int main() {
    check_tiles();
    const cuuint64_t size = 16, stride = 16;
    const cuuint32_t box = 16;
    check_made_map(
        map_of(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, shared_array<int>(64), &size, &stride, &box));
    check_made_map(CUtensorMap{}); // as Triton's kernels begin
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
