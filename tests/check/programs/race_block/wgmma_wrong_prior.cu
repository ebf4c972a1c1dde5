// A tile is loaded (a bulk copy) as soon as a warpgroup has waited for all products but the last
// one, which reads it. Guide, 10.24 and 10.29.1; PTX ISA, wgmma.wait_group. options: -arch=sm_90a
#include "../tensor.h"
#include "../wgmma.h"

namespace ptx = cuda::ptx;
enum { STEPS = 4, TILE = 8 * 16 };

__global__ void multiply(const __half *in, float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[2][TILE];
    __shared__ uint64_t full[2], empty[2];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    ptx::fence_proxy_async(ptx::space_shared);
    for (int k = 0; k < 2 && threadIdx.x == 0; k++) {
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
#ifdef BUG
        int done = n;
#else
        int done = n - 1;
#endif
        if (threadIdx.x == 0 && done >= 0) // one thread for all: a product is the warpgroup's
            ptx::mbarrier_arrive(&empty[done % 2]);
    }
    WAIT_FOR_PRODUCTS(d, 0);
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = d[k];
}

int main() {
    __half *in;
    float *out;
    OK(cudaMallocManaged(&in, STEPS * TILE * sizeof *in));
    OK(cudaMallocManaged(&out, 512 * sizeof *out));
    for (int k = 0; k < STEPS * TILE; k++)
        in[k] = __half(k / TILE);
    multiply<<<1, 160>>>(in, out);
    OK(cudaDeviceSynchronize());
    bool right = out[0] == 16 * 6 && out[511] == 16 * 6;
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(right);
}
