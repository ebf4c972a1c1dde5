// What `kudzu check` keeps for memory goes with it: an array that is allocated, written and freed again and again, whose
// addresses are others each time. Guide, 3.2.2.
#include <cstdio>
#include <cstring>

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

int main() {
    const unsigned n = 2 << 20, times = 24; // 8 MiB each: 192 in all
    long before = 0;
    for (unsigned t = 0; t < times; t++) {
        unsigned *a, last = 0;
        if (cudaMalloc(&a, n * sizeof *a))
            return 1;
        fill<<<n / 256, 256>>>(a, n, t);
        cudaMemcpy(&last, a + n - 1, sizeof last, cudaMemcpyDeviceToHost);
        cudaFree(a);
        if (last != t + n - 1)
            return 1;
        if (t == 3)
            before = resident();
    }
    long grown = resident() - before;
    if (grown > 40) {
        fprintf(stderr, "%ld MiB more behind %u arrays than behind 4\n", grown, times);
        return 1;
    }
    printf("PASSED\n");
}
