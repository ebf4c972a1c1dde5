// A tile is loaded (a bulk copy) as soon as a warpgroup has waited for all products but the last
// one, which reads it. Guide, 10.24 and 10.29.1; PTX ISA, wgmma.wait_group. options: -arch=sm_90a
#include "../tensor.h"
#include "../wgmma.h"

namespace ptx = cuda::ptx;

#define LOAD_TILE(tile, from, size, object)                                                        \
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, size, object)

enum { STEPS = 4, TILE = 8 * 16 };

__global__ void multiply(const __half *in, float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[2][TILE];
    __shared__ uint64_t full[2], empty[2];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    ptx::fence_proxy_async(ptx::space_shared);
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            object_begin(&full[k], 1);
            object_begin(&empty[k], 1);
        }
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int n = 0; n < STEPS && threadIdx.x == 128; n++) {
            if (n >= 2)
                wait_for(&empty[n % 2], (n / 2 - 1) & 1);
            expect(&full[n % 2], sizeof b[0]);
            LOAD_TILE(b[n % 2], in + n * TILE, sizeof b[0], &full[n % 2]); // bug: race.wgmma
        }
        return;
    }
    float d[4] = {};
    for (int n = 0; n < STEPS; n++) {
        wait_for(&full[n % 2], n / 2 & 1);
        START_PRODUCT(d, descriptor_of(a, 128, 256), descriptor_of(b[n % 2], 128, 256)); // with
        WAIT_FOR_PRODUCTS(d, 1);
        // One thread for all: a product is the warpgroup's.
#ifdef BUG
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive(&empty[n % 2]);
#else
        if (threadIdx.x == 0 && n > 0)
            ptx::mbarrier_arrive(&empty[(n - 1) % 2]);
#endif
    }
    WAIT_FOR_PRODUCTS(d, 0);
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = d[k];
}

int main() {
    static __half in[STEPS * TILE];
    __half *from;
    float *out, h[512];
    for (int k = 0; k < STEPS * TILE; k++)
        in[k] = __half(k / TILE);
    OK(cudaMalloc(&from, sizeof in));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice));
    multiply<<<1, 160>>>(from, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(from));
    OK(cudaFree(out));
    return verdict(h[0] == 16 * 6 && h[511] == 16 * 6);
}
