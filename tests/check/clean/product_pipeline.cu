// A warp loads boxes of two matrices into a ring of tiles (TMA), and a warpgroup multiplies them
// (wgmma), as products of matrices for compute capability 9.0 do. Its sums go out by way of shared
// memory that the tiles were in. Guide, 10.29.2. options: -arch=sm_90a
#include "../programs/tensor.h"
#include "../programs/wgmma.h"

namespace ptx = cuda::ptx;

enum { STAGES = 2, STEPS = 5, WARPGROUP = 128, K = 16 }; // K: of a step, in halves

struct alignas(128) tiles {
    int a[2][64][4], b[2][8][4]; // halves of k one after the other
};

__global__ void __launch_bounds__(WARPGROUP + 32)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap out) {
    __shared__ tiles stages[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int k = 0; k < STAGES; k++) {
            object_begin(&full[k], 1);
            object_begin(&empty[k], WARPGROUP / 32);
        }
    __syncthreads();
    if (threadIdx.x >= WARPGROUP) {
        for (int n = 0; n < STEPS && threadIdx.x == WARPGROUP; n++) {
            tiles &t = stages[n % STAGES];
            uint64_t *object = &full[n % STAGES];
            if (n >= STAGES)
                wait_for(&empty[n % STAGES], (n / STAGES - 1) & 1);
            expect(object, sizeof t);
            for (int half = 0; half < 2; half++) {
                const int at[] = {n * K / 2 + half * K / 4, 0};
                LOAD_BOX(t.a[half], &a, at, object);
                LOAD_BOX(t.b[half], &b, at, object);
            }
        }
        return;
    }
    float d[4] = {};
    for (int n = 0; n < STEPS; n++) {
        tiles &t = stages[n % STAGES];
        wait_for(&full[n % STAGES], n / STAGES & 1);
        PRODUCT(d, descriptor_of(t.a, sizeof t.a[0], 128), descriptor_of(t.b, sizeof t.b[0], 128));
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&empty[n % STAGES]);
    }
    asm volatile("bar.sync 1, 128;" ::: "memory");
    int *sums = &stages[0].a[0][0][0];
    for (int k = 0; k < 4; k++)
        sums[4 * threadIdx.x + k] = (int)d[k];
    ptx::fence_proxy_async(ptx::space_shared);
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        STORE_BOX(&out, at, sums);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    static __half a[64 * STEPS * K], b[8 * STEPS * K];
    static int h[4 * WARPGROUP];
    void *in[2];
    int *out;
    bool right = true;
    for (__half &x : a)
        x = __half(1);
    for (int k = 0; k < 8 * STEPS * K; k++)
        b[k] = __half(k / (STEPS * K));
    OK(cudaMalloc(&in[0], sizeof a));
    OK(cudaMalloc(&in[1], sizeof b));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in[0], a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(in[1], b, sizeof b, cudaMemcpyHostToDevice));
    multiply<<<1, WARPGROUP + 32>>>(map_of(in[0], STEPS * K / 2, 64, 4, 64),
                                    map_of(in[1], STEPS * K / 2, 8, 4, 8),
                                    map_of(out, 32, 16, 32, 16));
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 4 * WARPGROUP; k++) // thread k / 4 has two columns of two rows
        right &= h[k] == STEPS * K * (k / 4 % 4 * 2 + k % 2);
    OK(cudaFree(in[0]));
    OK(cudaFree(in[1]));
    OK(cudaFree(out));
    return verdict(right);
}
