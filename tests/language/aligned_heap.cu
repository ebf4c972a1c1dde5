// __nv_aligned_device_malloc (10.36): aligned, apart from each other, given back.
#include <cstdint>

#include "check.h"

__global__ void aligned_heap(int *bad) {
    const size_t sizes[] = {1, 24, 100, 500, 5000, 40000}, most = 65536;
    char *all[6 * 13];
    int n = 0;
    for (size_t align = 16; align <= most; align *= 2)
        for (int i = 0; i < 6; i++) {
            char *p = (char *)__nv_aligned_device_malloc(sizes[i], align);
            if (!p || (uintptr_t)p % align)
                atomicAdd(bad, 1);
            if (p)
                p[0] = p[sizes[i] - 1] = (char)(n + 1);
            all[n++] = p;
        }
    for (int i = 0; i < n; i++) {
        if (all[i] && (all[i][0] != (char)(i + 1) || all[i][sizes[i % 6] - 1] != (char)(i + 1)))
            atomicAdd(bad + 1, 1);
        free(all[i]);
    }
    bad[2] += __nv_aligned_device_malloc(64, 48) != nullptr; // no power of two
    bad[2] += __nv_aligned_device_malloc((size_t)1 << 40, 64) != nullptr;
    void *p = malloc(64);
    bad[3] += !p;
    free(p);
}

int main() {
    int *bad = shared_array<int>(4);
    aligned_heap<<<1, 1>>>(bad);
    aligned_heap<<<1, 1>>>(bad); // all is free again
    CUDA(cudaDeviceSynchronize());
    CHECK(bad[0] == 0 && bad[1] == 0 && bad[2] == 0 && bad[3] == 0);
    return failures != 0;
}
