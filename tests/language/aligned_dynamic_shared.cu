// Dynamic shared memory begins where the alignment of the arrays that name it wants it to, behind
// whatever static shared memory the kernel has (10.2.3, 10.29.3: swizzled tiles need 1024 bytes).
#include "check.h"

template <int alignment> __global__ void where(unsigned *out, bool any) {
    extern __shared__ __align__(1024) unsigned char most[];
    __shared__ int before[3];
    __shared__ alignas(alignment) int aligned[5];
    if (any) { // all of them are used
        before[threadIdx.x] = (int)threadIdx.x;
        aligned[threadIdx.x] = 7;
        most[threadIdx.x] = 9;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = (unsigned)__cvta_generic_to_shared(most) % 1024;
        out[1] = (unsigned)((size_t)most % 1024);
        out[2] = (unsigned)((size_t)aligned % alignment);
        out[3] = (unsigned)(before[1] + aligned[1] + most[1]);
    }
}

template <int alignment> static void check() {
    unsigned *out = shared_array<unsigned>(4);
    where<alignment><<<1, 3, 100>>>(out, true);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0 && out[3] == 17);
}

int main() {
    check<4>();
    check<256>();
    check<1024>();
    return failures != 0;
}
