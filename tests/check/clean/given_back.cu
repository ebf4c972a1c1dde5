// What `kudzu check` keeps for memory goes with it: arrays that are allocated, written and freed
// again and again, also by a pool that gives its memory back, whose addresses are others each time.
// Guide, 3.2.2, 4.3.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void fill(unsigned *a, unsigned n, unsigned value) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        a[k] = value + k;
}

// MiB of memory that the process has; 0: nobody knows.
static long resident() {
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    long kib = 0;
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %ld", &kib);
    if (f)
        fclose(f);
    return kib / 1024;
}

// Frees an array that a kernel has written.
static bool use(bool pool, unsigned n, unsigned t) {
    unsigned *a, last = 0;
    if (pool ? cudaMallocAsync(&a, n * sizeof *a, 0) : cudaMalloc(&a, n * sizeof *a))
        return false;
    fill<<<n / 256, 256>>>(a, n, t);
    cudaMemcpy(&last, a + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    return !(pool ? cudaFreeAsync(a, 0) : cudaFree(a)) && !cudaDeviceSynchronize() &&
           last == t + n - 1;
}

// A copy from the host, at an address that is no page's, takes what the array takes.
static bool copies() {
    const size_t size = 64 << 20;
    std::vector<char> from(size + 1, 1);
    char *a;
    if (cudaMalloc(&a, size))
        return false;
    long before = resident();
    cudaMemcpy(a, from.data() + 1, size, cudaMemcpyHostToDevice);
    long grown = resident() - before;
    if (grown > 96)
        fprintf(stderr, "a copy of 64 MiB takes %ld\n", grown);
    return !cudaFree(a) && grown <= 96;
}

int main() {
    const unsigned n = 2 << 20, times = 24; // 8 MiB each: 192 in all
    long before = 0;
    for (unsigned t = 0; t < times; t++) {
        if (!use(t % 2, n, t))
            return 1;
        if (t == 3)
            before = resident();
    }
    long grown = resident() - before;
    if (grown > 40) {
        fprintf(stderr, "%ld MiB more behind %u arrays than behind 4\n", grown, times);
        return 1;
    }
    if (!copies())
        return 1;
    printf("PASSED\n");
}
